// Learns the critic's second opinion anew from the labelled actions: node build/learn-critic.mjs
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeWeights } from "../../gates/critic/opinion/opinion.ts";
import { readExamples } from "./sets.ts";
import { train } from "./train.ts";

const weights = train(readExamples());
const file = join(import.meta.dirname, "../../gates/critic/opinion/weights.bin");
const bytes = encodeWeights(weights);
writeFileSync(file, bytes);
console.log(`${weights.buckets.length} features, ${bytes.length} bytes`);
