import type { JudgeInput, JudgePorts } from "./judge-ports.ts";
import type { TreeEntry } from "./read-tree.ts";
import type { Review } from "./reviewer/review-record.ts";
import type { Source } from "./room/repository.ts";
import type { Room } from "./room/room.ts";
import type { Change } from "./seal/changed-files.ts";
import type { Seal } from "./seal/seal.ts";
import type { GateRun, Reason, SealedChange, TestFacts } from "./verdict.ts";

/** Everything a step needs; the findings are collected on the way. */
export type Case = {
  ports: JudgePorts;
  input: JudgeInput;
  place: { top: string; prefix: string };
  /** undefined where there was no commit at the start: then nothing of it was sealed */
  base: Seal["base"];
  head: { commit: string; tree: string };
  branch: string | undefined;
  deadline: number;
  runs: GateRun[];
  reasons: Reason[];
  remarks: string[];
  tests?: TestFacts;
  review?: Review;
};

/** What differs between the base and the judged commit. */
export type Looked = {
  changed: readonly Change[];
  changes: readonly SealedChange[];
  trees: { before: ReadonlyMap<string, TreeEntry>; after: ReadonlyMap<string, TreeEntry> };
};

export type InRoom = Looked & {
  room: Room;
  source: Source;
};

export const leftMs = ({ deadline, ports }: Case): number =>
  Math.max(1_000, deadline - ports.clock.elapsed());
