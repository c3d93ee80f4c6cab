// Learns the critic's weights anew (gates/critic/reader/weights.tsv) from the labelled actions, on Bun.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const bun = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe");
const script = join(import.meta.dirname, "../bench/critic-training/learn.ts");
process.exitCode = spawnSync(bun, [script], { stdio: "inherit" }).status ?? 1;
