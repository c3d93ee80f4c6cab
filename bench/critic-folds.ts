// How well what the critic learned carries over: a fifth of the texts is left out of the learning, and judged, in turn.
// `npx bun bench/critic-folds.ts <expression>` leaves the features out that the expression fits: what they are worth.
import { findFlags } from "../gates/critic/reader/findings.ts";
import { readText } from "../gates/critic/reader/sentences.ts";
import { readLabelled } from "../gates/critic/testdata/score.ts";
import { train } from "./critic-training/train.ts";

const FOLDS = 5;
const HIGH = new Set(["R1", "R4", "R5"]);
const WORDS = [0, 10, 25, 50, Infinity];

type Judged = { text: string; wanted: boolean; said: boolean };

const without = process.argv[2] === undefined ? undefined : new RegExp(process.argv[2]);
const dev = readLabelled("dev");
const learn = readLabelled("learn");

/** Every fifth text, whoever wrote it: the order of the file is that of the writers. */
const judgeFold = (fold: number): Judged[] => {
  const weights = train([...dev, ...learn.filter((_, i) => i % FOLDS !== fold)], { without });
  return learn
    .filter((_, i) => i % FOLDS === fold)
    .map(({ text, flags }) => ({
      text,
      wanted: flags.some((flag) => HIGH.has(flag)),
      said: findFlags(readText(text), { weights }).some(({ rule }) => HIGH.has(rule)),
    }));
};

const describe = (name: string, judged: readonly Judged[]): void => {
  const right = judged.filter(({ said, wanted }) => said && wanted).length;
  const precision = right / Math.max(1, judged.filter(({ said }) => said).length);
  const recall = right / Math.max(1, judged.filter(({ wanted }) => wanted).length);
  console.log(
    `${name.padEnd(20)} ${String(judged.length).padStart(5)}  precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}`,
  );
};

const judged = Array.from({ length: FOLDS }, (_, fold) => judgeFold(fold)).flat();
describe("all", judged);
for (const [i, least] of WORDS.slice(0, -1).entries()) {
  const most = WORDS[i + 1] ?? Infinity;
  const count = ({ text }: Judged): number => text.trim().split(/\s+/).length;
  describe(
    `${least} to ${most} words`,
    judged.filter((one) => count(one) >= least && count(one) < most),
  );
}
