// tsc writes mode 0644; commands called straight from dist (not through npm's links) need the bit.
// Whether every declared command exists is publint's question, so that a partial build still gets its bits.
import { fileURLToPath } from "node:url";
import { chmodSync, existsSync, readFileSync } from "node:fs";

const { bin } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const commands = Object.values(bin).map((path) => new URL(`../${path}`, import.meta.url));
for (const command of commands.filter((file) => existsSync(file))) chmodSync(command, 0o755);

await import("./app-ui.mjs");

// The critic runs before every action of an agent, and a process that loads thirty small files is late.
// Its light part becomes one file beside them; what only a changed config needs stays apart.
const critic = new URL("../dist/scripts/check.js", import.meta.url);
try {
  const { build } = await import("esbuild");
  await build({
    entryPoints: [fileURLToPath(critic)],
    outfile: fileURLToPath(new URL("../dist/gates/critic/check-bundle.js", import.meta.url)),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    external: ["../../core/config/load-config.js", "./check-patterns.js"],
  });
} catch (error) {
  // Without the development tools check.mjs loads the files one by one: slower, and the same answers.
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
}
