// `worker list` is typed all night long, and loading its twenty files takes longer than its work. They become
// one; what the other commands need stays apart.
import { chmodSync, renameSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const scripts = join(dirname(import.meta.dirname), "dist/scripts");
const entry = join(scripts, "worker.js");

const otherCommands = {
  name: "other-commands",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      const file = join(resolveDir, path);
      return kind === "dynamic-import" && file !== join(scripts, "commands/worker/list.js")
        ? { path: `./${relative(scripts, file)}`, external: true }
        : undefined;
    }),
};

try {
  const { build } = await import("esbuild");
  await build({
    entryPoints: [entry],
    outfile: `${entry}.tmp`,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
    plugins: [otherCommands],
  });
  renameSync(`${entry}.tmp`, entry);
  chmodSync(entry, 0o755);
} catch (error) {
  // Without the development tools the files are loaded one by one: slower, and the same answers.
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
}
