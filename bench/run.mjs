// Runs benchmarks: all of bench/*.ts, or the named ones. On Bun: it runs TypeScript on every machine that ran npm ci.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const bun = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe");
const known = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => name.slice(0, -3));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(", ")}; there are: ${known.join(", ")}`);
  process.exit(64);
}
let failed = 0;
for (const name of wanted.length > 0 ? wanted : known) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(bun, [join(import.meta.dirname, `${name}.ts`)], { stdio: "inherit" });
  if (status !== 0) failed++;
}
process.exitCode = failed > 0 ? 1 : 0;
