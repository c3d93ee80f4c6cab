// agent-search answers in less time than it takes to load its forty files: what an answer from an unchanged
// index needs becomes one file, with its functions compiled beside it for each runtime. What it imports when something
// has changed (the agents' code, the index builder) stays apart.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const scripts = join(dirname(import.meta.dirname), "dist/scripts");
const folder = join(scripts, "search");
const entry = join(scripts, "agent-search.js");

const importedLater = {
  name: "imported-later",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) =>
      kind === "dynamic-import"
        ? { path: relative(folder, join(resolveDir, path)), external: true }
        : undefined,
    ),
};

/** The plainest call is answered by a tenth of the code: see answer-quickly.ts. */
const QUICKLY = `
  import { answerQuickly } from "./commands/agent-search/answer-quickly.js";
  const exitCode = answerQuickly(process.argv.slice(2), process.env);`;

/** At once: Bun takes a twentieth of the whole for winding up what the end of the process does away with. */
const EXIT_OR_WHOLE = `if (exitCode === undefined) require("./search/bun.js"); else process.exit(exitCode);`;

const WHOLE = `
  import { main } from "./command/main.js";
  import { agentSearch as command } from "./commands/agent-search/agent-search.js";
  import { agentSearch as program } from "./programs/agent-search.js";
  const start = () => main({ ...program, main: async () => command });`;

const bundle = (build, contents, options) =>
  build({
    stdin: { contents, resolveDir: scripts, sourcefile: "search-entry.js" },
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    logLevel: "error",
    plugins: [importedLater],
    ...options,
  });

/**
 * Bun starts from the command's file itself: of each further file it first lists the folders. Node takes the same
 * file for a module that makes a function and calls none, and goes on with what stands behind it.
 */
const START = `const onNode = typeof Bun === "undefined" && import("./search/start.cjs");`;
/** `@bun`: Bun takes it as it is, without a pass of its transpiler. */
const START_UNCOMPILED = `#!/usr/bin/env node
// @bun
if (process.versions.bun) import.meta.require("./search/bun.js");
else await process.getBuiltinModule("node:module").createRequire(import.meta.url)("./search/start.cjs");
`;

const bundleForBun = async (build) => {
  const whole = join(folder, "bun.js");
  await bundle(build, `${WHOLE} start();`, { format: "esm", outfile: whole });
  compileForBun(whole);
  const quick = join(folder, "quick.js");
  await bundle(build, `${QUICKLY} ${EXIT_OR_WHOLE}`, {
    format: "cjs",
    external: ["./search/bun.js"],
    outfile: quick,
    banner: { js: "#!/usr/bin/env node" },
  });
  const isCompiled = compileForBun(quick, ["--footer", START]);
  if (!isCompiled) writeFileSync(quick, START_UNCOMPILED);
  chmodSync(quick, 0o755);
  if (isCompiled) renameSync(`${quick}.jsc`, `${entry}.jsc`);
  renameSync(quick, entry);
};

/**
 * Bun's compiled form goes with the Bun that made it; another one compiles the source beside it itself.
 * @returns whether its program was there; it is not after `npm ci --ignore-scripts`
 */
const compileForBun = (source, options = []) => {
  const program = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe");
  const fresh = join(folder, "fresh");
  const args = ["--bytecode", "--target=bun", "--format=cjs", "--minify", "--external", "*", ...options];
  try {
    execFileSync(program, ["build", source, ...args, "--outdir", fresh], { stdio: "pipe" });
    for (const name of readdirSync(fresh)) renameSync(join(fresh, name), join(folder, name));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
};

const bundleForNode = async (build) => {
  const contents = `${QUICKLY} ${WHOLE} process.exitCode = exitCode; export const done = exitCode === undefined ? start() : undefined;`;
  const { outputFiles } = await bundle(build, contents, { format: "cjs", write: false });
  // A compiled script cannot import: search-start.cjs does it for it.
  const code = onlyAscii(outputFiles[0].text.replaceAll(/\bimport\(/g, "loadModule("));
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 16);
  writeFileSync(join(folder, "node.cjs"), `//${hash}\n${code}`);
};

/** One byte is one character then: the quickest text to read, and to compare with its compiled form. */
const onlyAscii = (text) =>
  text.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const SAMPLE = { type: "user", uuid: "a", parentUuid: null, timestamp: "2026-02-01T10:00:00.000Z" };

/**
 * V8's compiled form, which a search that found none leaves behind: with every function that an answer from an
 * unchanged index took, as that is what this one is.
 */
const compileForNode = () => {
  const home = mkdtempSync(join(tmpdir(), "nightshift-build-"));
  const search = () => {
    for (const name of readdirSync(folder)) if (name.endsWith(".bin")) rmSync(join(folder, name));
    const env = { HOME: home, PATH: process.env.PATH ?? "" };
    execFileSync(process.execPath, [entry, "quick fox"], { env, stdio: "ignore" });
  };
  try {
    const project = join(home, ".claude/projects/p");
    mkdirSync(project, { recursive: true });
    const message = { role: "user", content: "the quick fox" };
    writeFileSync(join(project, "one.jsonl"), `${JSON.stringify({ ...SAMPLE, message })}\n`);
    // A folder that has just changed may change again: a search would not rely on it yet.
    const past = new Date(Date.now() - 60_000);
    for (const path of [project, dirname(project), join(home, ".claude"), home]) utimesSync(path, past, past);
    search();
    search();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

try {
  const { build } = await import("esbuild");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await bundleForBun(build);
  await bundleForNode(build);
  copyFileSync(join(import.meta.dirname, "search-start.cjs"), join(folder, "start.cjs"));
  compileForNode();
} catch (error) {
  // Without the development tools the files are loaded one by one: slower, and the same answers.
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
}
