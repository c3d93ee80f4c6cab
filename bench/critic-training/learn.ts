// Learns the critic's weights again from the labelled actions: node build/learn-critic.mjs
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeWeights } from "../../gates/critic/reader/weights.ts";
import { readLabelled } from "../../gates/critic/testdata/score.ts";
import { train } from "./train.ts";

const weights = train([...readLabelled("dev"), ...readLabelled("learn")]);
writeFileSync(join(import.meta.dirname, "../../gates/critic/reader/weights.tsv"), writeWeights(weights));
console.log(`${weights.size} features`);
