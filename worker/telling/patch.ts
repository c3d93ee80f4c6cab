import { type Git, treeOf } from "../../core/git.ts";
import { isSecretPath, redactSecrets } from "../../core/redaction.ts";
import { type ChangedRow, readChangedRows, sumRows } from "../report/commit-stats.ts";
import type { Told } from "./told-event.ts";

const PATCH_CHARS = 256 * 1024;
/** What is more than this is not read at all: lines of one session that nobody reads on a page. */
const PATCH_LINES = 8_000;

/** The files whose difference is shown: in order, as long as there is room, and none that is named like a secret. */
const chooseFiles = (rows: readonly ChangedRow[]): ChangedRow[] => {
  let left = PATCH_LINES;
  return rows.filter(({ path, insertions, deletions }) => {
    if (isSecretPath(path) || insertions + deletions > left) return false;
    left -= insertions + deletions;
    return true;
  });
};

/** Cut where a file's difference ends. */
const cutPatch = (patch: string): string => {
  if (patch.length <= PATCH_CHARS) return patch;
  const end = patch.lastIndexOf("\ndiff --git ", PATCH_CHARS);
  return end > 0 ? patch.slice(0, end + 1) : patch.slice(0, PATCH_CHARS);
};

/** What a session's commits changed: their titles, how much, and the patch without secrets. */
export const readPatch = async (
  git: Git,
  { headBefore, commits }: { headBefore: string | undefined; commits: readonly string[] },
): Promise<Told | undefined> => {
  const last = commits.at(-1)?.split(" ")[0];
  if (last === undefined) return undefined;
  const from = headBefore ?? (await treeOf(git, undefined));
  const diff = ["--literal-pathspecs", "diff", "--no-ext-diff", "--no-textconv", "--no-color"];
  const rows = await readChangedRows(git, from, last);
  const shown = chooseFiles(rows);
  const whole =
    shown.length === 0
      ? ""
      : await git.run([...diff, "--no-renames", from, last, "--", ...shown.map(({ path }) => path)]);
  const patch = cutPatch(redactSecrets(whole));
  const files = (patch.match(/^diff --git /gm) ?? []).length;
  return {
    kind: "commits",
    data: {
      commits: commits.slice(0, 200).map((commit) => redactSecrets(commit).slice(0, 300)),
      ...sumRows(rows),
      stat: rows
        .slice(0, 200)
        .map(({ path, insertions, deletions }) => [path.slice(0, 300), insertions, deletions]),
      leftOut: rows.length - files,
    },
    ...(patch === "" ? {} : { text: patch }),
  };
};
