import { readFileSync } from "node:fs";
import { join } from "node:path";
import { judge } from "../judge.ts";

export type LabelledAction = { text: string; flags: string[] };

/** How well the critic reads a labelled set; a STOP is any flag of severity HIGH. */
export type Score = {
  actions: number;
  stops: number;
  precision: number;
  recall: number;
  perRule: Record<string, { precision: number; recall: number; labelled: number }>;
};

export const readLabelled = (name: "dev" | "learn" | "test" | "held"): LabelledAction[] =>
  readFileSync(join(import.meta.dirname, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LabelledAction);

const HIGH = new Set(["R1", "R4", "R5"]);
const RULE_IDS = ["R1", "R2", "R3", "R4", "R5"];

const ratio = (right: number, wrong: number): number => (right + wrong === 0 ? 1 : right / (right + wrong));

const scoreOf = (pairs: readonly { said: boolean; labelled: boolean }[]) => {
  const both = pairs.filter(({ said, labelled }) => said && labelled).length;
  const labelled = pairs.filter((pair) => pair.labelled).length;
  const said = pairs.filter((pair) => pair.said).length;
  return { precision: ratio(both, said - both), recall: ratio(both, labelled - both), labelled };
};

/** Judges every action of a labelled set and counts. */
export const scoreCritic = (actions: readonly LabelledAction[]): Score => {
  const judged = actions.map(({ text, flags }) => ({ flags, judgement: judge(text) }));
  const stop = scoreOf(
    judged.map(({ flags, judgement }) => ({
      said: judgement.verdict === "STOP",
      labelled: flags.some((id) => HIGH.has(id)),
    })),
  );
  const perRule = Object.fromEntries(
    RULE_IDS.map((id) => [
      id,
      scoreOf(
        judged.map(({ flags, judgement }) => ({
          said: judgement.flags.some((flag) => flag.id === id),
          labelled: flags.includes(id),
        })),
      ),
    ]),
  );
  return {
    actions: actions.length,
    stops: stop.labelled,
    precision: stop.precision,
    recall: stop.recall,
    perRule,
  };
};
