import type { GitState } from "../../core/git.ts";

/** Where a work tree stands, in one line: what a handoff carries and the next session acknowledges. */
export const stateLine = ({
  branch,
  head,
  dirtyDigest,
}: Pick<GitState, "branch" | "head" | "dirtyDigest">): string =>
  `branch=${branch ?? "none"} head=${head?.slice(0, 12) ?? "none"} dirty=${dirtyDigest}`;
