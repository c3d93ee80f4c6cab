import type { Git } from "../../core/git.ts";
import type { Reason } from "../verdict.ts";

const MOST_LINES = 60;

/** Puts to each reason about a file what changed in it, and the first line that did. */
export const withDiffs = async (
  git: Git,
  { base, head }: { base: string; head: string },
  reasons: readonly Reason[],
): Promise<Reason[]> => {
  const shown: Reason[] = [];
  for (const reason of reasons) shown.push(await withDiff(git, [base, head], reason));
  return shown;
};

const withDiff = async (git: Git, range: readonly string[], reason: Reason): Promise<Reason> => {
  if (reason.file === undefined) return reason;
  const options = ["--no-ext-diff", "--no-textconv", "--no-renames", "--unified=2"];
  const text = (await git.find(["diff", ...options, ...range, "--", `:(literal)${reason.file}`])) ?? "";
  const lines = text.trimEnd().split("\n");
  const body = lines.slice(
    Math.max(
      0,
      lines.findIndex((line) => line.startsWith("@@")),
    ),
  );
  const [, start = "0", before = "1"] = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(body[0] ?? "") ?? [];
  const offset = body.slice(1).findIndex((line) => /^[+-]/.test(line));
  const line = before === "0" ? 0 : Number(start) + Math.max(0, offset);
  const more = body.length > MOST_LINES ? [`… ${body.length - MOST_LINES} more lines`] : [];
  return {
    ...(line > 0 && reason.line === undefined ? { line } : {}),
    ...reason,
    ...(text === "" ? {} : { diff: [...body.slice(0, MOST_LINES), ...more].join("\n") }),
  };
};
