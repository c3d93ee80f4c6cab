// agent-search answers in less time than it takes to load its forty files: what an answer from an unchanged
// index needs becomes one file, for Bun with its functions compiled beside it. What it imports when something
// has changed (the agents' code, the index builder) stays apart.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

const scripts = join(dirname(import.meta.dirname), "dist/scripts");
const folder = join(scripts, "search");

const importedLater = {
  name: "imported-later",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) =>
      kind === "dynamic-import"
        ? { path: relative(folder, join(resolveDir, path)), external: true }
        : undefined,
    ),
};

const bundle = (build) =>
  build({
    stdin: {
      contents: `
        import { main } from "./command/main.js";
        import { agentSearch as command } from "./commands/agent-search/agent-search.js";
        import { agentSearch as program } from "./programs/agent-search.js";
        main({ ...program, main: async () => command });`,
      resolveDir: scripts,
      sourcefile: "search-entry.js",
    },
    outfile: join(folder, "main.js"),
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    plugins: [importedLater],
  });

/** Bun's compiled form goes with the Bun that made it; another one compiles the source beside it itself. */
const compileForBun = () => {
  const program = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe");
  const source = join(folder, "bun.js");
  const fresh = join(folder, "fresh");
  const args = ["--bytecode", "--target=bun", "--format=cjs", "--minify", "--external", "*"];
  copyFileSync(join(folder, "main.js"), source);
  try {
    execFileSync(program, ["build", source, ...args, "--outdir", fresh], { stdio: "pipe" });
    for (const name of ["bun.js", "bun.js.jsc"]) renameSync(join(fresh, name), join(folder, name));
    return true;
  } catch {
    return false; // its program was not installed (npm ci --ignore-scripts)
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
};

try {
  const { build } = await import("esbuild");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await bundle(build);
  const start = compileForBun()
    ? 'if (process.versions.bun) import.meta.require("./search/bun.js");\nelse await import("./search/main.js");'
    : 'await import("./search/main.js");';
  const entry = join(scripts, "agent-search.js");
  // `@bun`: Bun takes it as it is, without a pass of its transpiler.
  writeFileSync(`${entry}.tmp`, `#!/usr/bin/env node\n// @bun\n${start}\n`);
  renameSync(`${entry}.tmp`, entry);
  chmodSync(entry, 0o755);
} catch (error) {
  // Without the development tools the files are loaded one by one: slower, and the same answers.
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
}
