import { RULES } from "./catalogue.ts";
import type { Judgement } from "./judge.ts";

const titleOf = (id: string): string =>
  Object.hasOwn(RULES, id) ? RULES[id as keyof typeof RULES].title : "own pattern";

/** The judgement as people read it: the verdict first, then each flag with its place and what to do instead. */
export const describeJudgement = (judgement: Judgement, { explain = false } = {}): string[] => {
  const { verdict, flags, allowed, excused, learned } = judgement;
  const caution = verdict === "PROCEED" && flags.length > 0 ? " with caution" : "";
  const lines = [`${verdict}${caution}`];
  for (const flag of flags) {
    lines.push("", `${flag.id} ${flag.severity}  ${titleOf(flag.id)}: "${flag.match}"`);
    lines.push(`   why: ${flag.message}`, `   instead: ${flag.suggestion}`);
  }
  for (const flag of allowed)
    lines.push("", `${flag.id} allowed until ${flag.until}: "${flag.match}" (${flag.reason})`);
  if (!explain) return lines;
  for (const { id, words } of learned)
    lines.push("", `${id} was raised by the text as a whole, above all by: ${words.join(", ")}`);
  lines.push("", ...describeExcused(excused));
  return lines;
};

const describeExcused = (excused: Judgement["excused"]): string[] => {
  if (excused.length === 0) return ["nothing else in the text looked like a flag"];
  const unique = new Map(excused.map((one) => [`${one.id} ${one.match} ${one.reason}`, one]));
  return [
    "looked like a flag, and is none:",
    ...[...unique.values()].map(
      ({ id, match, reason, frame }) => `   ${id} "${match}": ${reason} (${frame})`,
    ),
  ];
};

/** The same in a few lines for a model that has to change its plan. */
export const describeForAgent = ({ flags }: Judgement): string =>
  flags
    .map(
      ({ id, match, message, suggestion }) =>
        `${id} (${titleOf(id)}): "${match}". ${message} Instead: ${suggestion}`,
    )
    .join("\n");
