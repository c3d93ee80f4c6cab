import type { Reason, Verdict } from "./verdict.ts";

/** "gates/health.sh:2 was changed; …" */
export const reasonLine = ({ file, line, message }: Reason): string =>
  file === undefined ? message : `${file}${line ? `:${line}` : ""} ${message}`;

const MOST_REASONS = 20;
const MOST_DIFF = 6_000;

/** What the next session is told of a DONE that was refused: each reason with its line, and what changed there. */
export const describeRefusal = ({ reasons }: Pick<Verdict, "reasons">): string => {
  const lines = reasons.slice(0, MOST_REASONS).map((reason) => `- ${reasonLine(reason)}`);
  const more = reasons.length > MOST_REASONS ? [`- and ${reasons.length - MOST_REASONS} more`] : [];
  const diffs = reasons
    .flatMap(({ file, diff }) =>
      diff === undefined
        ? []
        : [`${file === undefined ? "What the gates said:" : `${file}, since the start:`}\n${diff}`],
    )
    .join("\n\n")
    .slice(0, MOST_DIFF);
  return [...lines, ...more, ...(diffs === "" ? [] : ["", diffs])].join("\n");
};

/** All reasons in one line. */
export const shortReasons = (reasons: readonly Reason[]): string =>
  [
    ...reasons.slice(0, 3).map(reasonLine),
    ...(reasons.length > 3 ? [`and ${reasons.length - 3} more`] : []),
  ].join("; ");
