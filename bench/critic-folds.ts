// How well what the critic learned carries over: a fifth of the texts is left out of the learning, and judged, in turn.
import { findAll, readDoc } from "../gates/critic/find-flags.ts";
import { weigh } from "../gates/critic/opinion/weigh.ts";
import { readExamples } from "./critic-training/sets.ts";
import { type Example, train } from "./critic-training/train.ts";

const FOLDS = 5;
const HIGH = new Set(["R1", "R4", "R5"]);
const WORDS = [0, 10, 25, 50, Infinity];

type Judged = { text: string; wanted: boolean; byRules: boolean; said: boolean };

const examples = readExamples();
const fresh = examples.filter(({ tuned }) => !tuned);
// Every fifth text, whoever wrote it: the order of the file is that of the writers.
const isLeftOut = (index: number, fold: number): boolean => index % FOLDS === fold;

const judgeFold = (fold: number): Judged[] => {
  const rest = fresh.filter((_, i) => !isLeftOut(i, fold));
  const weights = train([...examples.filter(({ tuned }) => tuned), ...rest]);
  const raises = (found: ReturnType<typeof findAll>) =>
    found.some(({ rule, excuse }) => HIGH.has(rule) && excuse === undefined);
  return fresh
    .filter((_, i) => isLeftOut(i, fold))
    .map(({ text, flags }: Example) => {
      const doc = readDoc(text);
      const found = findAll(doc);
      const wanted = flags.some((flag) => HIGH.has(flag));
      return { text, wanted, byRules: raises(found), said: raises(weigh(doc, found, { weights })) };
    });
};

const describe = (name: string, judged: readonly Judged[], said: (one: Judged) => boolean): void => {
  const right = judged.filter((one) => said(one) && one.wanted).length;
  const precision = right / Math.max(1, judged.filter(said).length);
  const recall = right / Math.max(1, judged.filter(({ wanted }) => wanted).length);
  console.log(
    `${name.padEnd(28)} ${String(judged.length).padStart(5)}  precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}`,
  );
};

const judged = Array.from({ length: FOLDS }, (_, fold) => judgeFold(fold)).flat();
describe("the rules alone", judged, ({ byRules }) => byRules);
describe("with the second opinion", judged, ({ said }) => said);
for (const [i, least] of WORDS.slice(0, -1).entries()) {
  const most = WORDS[i + 1] ?? Infinity;
  const count = ({ text }: Judged): number => text.trim().split(/\s+/).length;
  const some = judged.filter((one) => count(one) >= least && count(one) < most);
  describe(`  ${least} to ${most} words`, some, ({ said }) => said);
}
