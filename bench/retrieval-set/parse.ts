import { readFileSync } from "node:fs";
import { join } from "node:path";

export type SetLearning = { key: number; trigger: string; learning: string; project?: string };
export type Stratum = "exact" | "forms" | "paraphrase" | "issue" | "project" | "none";
/** `right` is the key of the learning that fits; undefined when none does. */
export type SetContext = { context: string; stratum: Stratum; right?: number; half: "dev" | "test" };
export type RetrievalSet = { learnings: SetLearning[]; contexts: SetContext[] };

const FILES = ["backend.txt", "frontend.txt", "ops.txt", "tools.txt", "projects.txt"];
const STRATA: Record<string, Stratum> = { e: "exact", f: "forms", p: "paraphrase", i: "issue", c: "project" };

const linesOf = (file: string): string[] =>
  readFileSync(join(import.meta.dirname, file), "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

/** Half of the learnings with their contexts is for tuning, the other half for reporting. */
const halfOf = (number: number): SetContext["half"] => (number % 2 === 0 ? "dev" : "test");

/** The set of learnings and contexts in the files beside this one. */
export const readRetrievalSet = (): RetrievalSet => {
  const learnings: SetLearning[] = [];
  const contexts: SetContext[] = [];
  for (const line of FILES.flatMap(linesOf)) {
    const learning = /^= (.+?)(?: @ (\S+))? => (.+)$/.exec(line);
    const asked = /^([efpic]): (.+)$/.exec(line);
    const key = learnings.length - 1;
    if (learning)
      learnings.push({
        key: key + 1,
        trigger: learning[1] ?? "",
        learning: learning[3] ?? "",
        ...(learning[2] === undefined ? {} : { project: learning[2] }),
      });
    else if (asked && key >= 0)
      contexts.push({
        context: asked[2] ?? "",
        stratum: STRATA[asked[1] ?? ""] ?? "exact",
        right: key,
        half: halfOf(key),
      });
    else throw new Error(`retrieval-set: cannot read the line "${line}"`);
  }
  for (const [at, context] of linesOf("none.txt").entries())
    contexts.push({ context, stratum: "none", half: halfOf(at) });
  return { learnings, contexts };
};
