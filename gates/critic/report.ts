import { DESTRUCTIVE_RULES, type Rule, RULES } from "./catalogue.ts";
import type { Explanation } from "./explain.ts";
import type { Judgement } from "./judge.ts";

const BUILT_IN: Readonly<Record<string, Rule>> = { ...RULES, ...DESTRUCTIVE_RULES };

const titleOf = (id: string): string => BUILT_IN[id]?.title ?? "own pattern";

const isWholePack = (ids: readonly string[]): boolean =>
  Object.keys(DESTRUCTIVE_RULES).every((id) => ids.includes(id));

/** The judgement as people read it: the verdict first, then each flag with its place and what to do instead. */
export const describeJudgement = (
  { verdict, flags, allowed, disabled }: Judgement,
  explanation?: Explanation,
): string[] => {
  const caution = verdict === "PROCEED" && flags.length > 0 ? " with caution" : "";
  const lines = [`${verdict}${caution}`];
  for (const flag of flags) {
    lines.push("", `${flag.id} ${flag.severity}  ${titleOf(flag.id)}: "${flag.match}"`);
    lines.push(`   why: ${flag.message}`, `   instead: ${flag.suggestion}`);
  }
  for (const flag of allowed)
    lines.push("", `${flag.id} allowed until ${flag.until}: "${flag.match}" (${flag.reason})`);
  for (const { id, severity, match } of disabled)
    if (match !== undefined)
      lines.push("", `${id} ${severity}  ${titleOf(id)}, switched off by this project: "${match}"`);
  return explanation === undefined ? lines : [...lines, ...describeExplanation(explanation)];
};

const describeExplanation = ({ excused, learned }: Explanation): string[] => {
  const because = learned.map(({ id, words }) => `${id}: loudest were ${words.join(", ")}`);
  if (excused.length === 0) return ["", ...because, "nothing else in the text looked like a flag"];
  const lines = excused.map(({ id, match, reason }) => `   ${id} "${match}": ${reason}`);
  return ["", ...because, "looked like a flag, and is none:", ...new Set(lines)];
};

/** What the project switched off, in one line; undefined when nothing is. */
export const describeDisabled = ({ disabled }: Judgement): string | undefined => {
  if (disabled.length === 0) return undefined;
  const isPack = isWholePack(disabled.map(({ id }) => id));
  const single = isPack ? disabled.filter(({ id }) => !Object.hasOwn(DESTRUCTIVE_RULES, id)) : disabled;
  const named = [
    ...(isPack ? ["the whole pack of destructive commands (D1 to D11)"] : []),
    ...single.map(({ id, severity }) => `${id} (${titleOf(id)}, ${severity})`),
  ];
  return `nightshift critic: this project's config switches off ${named.join(", ")}`;
};

/** The same in a few lines for a model that has to change its plan. */
export const describeForAgent = ({ flags }: Judgement): string =>
  flags
    .map(
      ({ id, match, message, suggestion }) =>
        `${id} (${titleOf(id)}): "${match}". ${message} Instead: ${suggestion}`,
    )
    .join("\n");
