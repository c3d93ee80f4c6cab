import { plural } from "../../core/plural.ts";
import type { Rescue } from "./rescue.ts";

export const NOTHING_SAVED: Rescue = { saved: [], leftOut: [], tooLarge: [], unsaved: [] };

/** A rescue in one line. */
export const describeRescue = (rescue: Rescue | undefined): string => {
  const { saved, leftOut, tooLarge, unsaved } = rescue ?? NOTHING_SAVED;
  const words = saved.map(
    ({ paths, ref, repository }) =>
      `saved ${plural(paths.length, "uncommitted path")} to ${ref}${repository === "" ? "" : ` in ${repository}`}`,
  );
  if (leftOut.length > 0) words.push(`left out ${leftOut.join(", ")} (named like secrets)`);
  if (tooLarge.length > 0) words.push(`left out ${shortList(tooLarge)} (beyond the size limit of a rescue)`);
  if (unsaved.length > 0) words.push(`could not save ${unsaved.join(", ")}`);
  if (words.length === 0) return "No uncommitted work to save";
  const line = words.join("; ");
  return line.charAt(0).toUpperCase() + line.slice(1);
};

const shortList = (paths: readonly string[]): string =>
  paths.length > 10 ? `${paths.slice(0, 10).join(", ")} and ${paths.length - 10} more` : paths.join(", ");

/** A rescue as lines of a handoff. */
export const renderRescue = ({ saved, leftOut, tooLarge, unsaved }: Rescue): string[] => [
  ...saved.flatMap(({ ref, repository, paths }) => [
    "",
    `Rescued before the session to ${ref}${repository === "" ? "" : ` (in the repository ${repository})`}:`,
    listPaths(paths),
  ]),
  ...(leftOut.length > 0 ? ["", "Not rescued, named like secrets:", listPaths(leftOut)] : []),
  ...(tooLarge.length > 0 ? ["", "Not rescued, beyond the size limit:", listPaths(tooLarge)] : []),
  ...(unsaved.length > 0 ? ["", "Not rescued, unreadable:", listPaths(unsaved)] : []),
];

/** What the next session is told of it: the work is still in the tree, and safe elsewhere. */
export const rescueRemarks = (rescue: Rescue | undefined): string[] => [
  ...(rescue?.saved ?? []).map(
    ({ ref, paths, repository }) =>
      `An earlier session left ${plural(paths.length, "path")} uncommitted${repository === "" ? "" : ` in ${repository}`}. They are still in the work tree, and a copy is safe in ${ref}. Commit what belongs to the task.`,
  ),
  ...(rescue && rescue.tooLarge.length > 0
    ? [
        `These uncommitted files are too large for a copy, so the work tree holds the only one; leave them, or put them where they belong: ${shortList(rescue.tooLarge)}.`,
      ]
    : []),
];

const LISTED_PATHS = 40;

/** Paths as a Markdown list of bounded length; a name with a line break stays on its line. */
export const listPaths = (paths: readonly string[]): string =>
  paths
    .slice(0, LISTED_PATHS)
    .map((path) => `- ${/[\n\r]/.test(path) ? JSON.stringify(path) : path}`)
    .concat(paths.length > LISTED_PATHS ? [`- … ${paths.length - LISTED_PATHS} more`] : [])
    .join("\n");
