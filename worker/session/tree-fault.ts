import type { WorkerState } from "../state/worker-state.ts";
import { stateLine } from "./handoff.ts";
import type { WorkState } from "./work-state.ts";

/** What keeps a work tree from being as it was when the gates began, with all of it committed. */
export const findTreeFault = (
  { cleanTree }: WorkerState["done"],
  { tested, now }: { tested: WorkState | undefined; now: WorkState },
): string | undefined => {
  if (cleanTree && now.problem !== undefined)
    return "git cannot say whether everything is committed, so the work is not done.";
  const [then, is] = [tested?.git, now.git];
  if (then && is && (then.head !== is.head || then.branch !== is.branch))
    return `HEAD or the branch moved while the gates ran (${stateLine(then)}, then ${stateLine(is)}), so nothing is known of what is there now. Nothing may commit or switch while gates run.`;
  const left = is?.changed.map(({ path }) => path) ?? [];
  if (!cleanTree || left.length === 0) return undefined;
  const before = new Set(then?.changed.map(({ path }) => path));
  const isByGates = then !== undefined && left.every((path) => !before.has(path));
  const list = left.slice(0, 20).join(", ");
  return isByGates
    ? `the gates left this uncommitted behind, so the work is not done: ${list}. Make them clean up after themselves, or let git ignore what they write.`
    : `left this uncommitted, so the work is not done: ${list}. Commit what belongs to the task and remove the rest.`;
};
