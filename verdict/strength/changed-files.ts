import type { Git } from "../../core/git.ts";

export type ChangedFile = {
  file: string;
  base: string | undefined;
  head: string | undefined;
  isMoved: boolean;
};

/** Objects as they were committed: `git replace`, grafts and text conversions change nothing. */
const PLAIN = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null" };
const NOTHING = /^0+$/;
export const FILE_MODE = /^100/;

/** The files that differ between two commits, by the ids of their content. */
export const listChangedFiles = async (git: Git, base: string, head: string): Promise<ChangedFile[]> => {
  const listed = await git.run(["diff-tree", "-r", "-z", "--no-renames", "--full-index", base, head], {
    env: PLAIN,
  });
  const fields = listed.split("\0");
  const changed: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [baseMode = "", headMode = "", baseId = "", headId = ""] = (fields[at] ?? "").slice(1).split(" ");
    const idOf = (mode: string, id: string): string | undefined =>
      FILE_MODE.test(mode) && !NOTHING.test(id) ? id : undefined;
    changed.push({
      file: fields[at + 1] ?? "",
      base: idOf(baseMode, baseId),
      head: idOf(headMode, headId),
      isMoved: false,
    });
  }
  const arrived = new Set(
    changed.flatMap(({ base: before, head: after }) =>
      before === undefined && after !== undefined ? [after] : [],
    ),
  );
  return changed.map((each) => ({
    ...each,
    isMoved: each.head === undefined && each.base !== undefined && arrived.has(each.base),
  }));
};

/** The text of a blob; undefined for what is no text or too large to have been written by hand. */
export const readBlob = async (git: Git, id: string): Promise<string | undefined> => {
  const size = Number(await git.run(["cat-file", "-s", id], { env: PLAIN }));
  if (size > 2 * 1024 * 1024) return undefined;
  const text = await git.run(["cat-file", "blob", id], { env: PLAIN });
  return text.includes("\0") ? undefined : text.replace(/^\uFEFF/, "");
};
