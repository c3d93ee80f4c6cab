import { type Head, NO_LINE, type SecurityEvent, type Verdict, verifyLines } from "./chain.ts";

export type StoredLine = { number: number; line: string };

/** Where the security log is kept. */
export type SecurityLogStore = {
  /** Adds lines to the chain, in order; on disk when it resolves. */
  add: (events: readonly SecurityEvent[]) => Promise<void>;
  /** the newest line; number 0 when there is none */
  head: () => Promise<Head>;
  /** lines after a number, oldest first */
  read: (after: number, limit: number) => Promise<StoredLine[]>;
};

/** How many lines are kept; the oldest make room, a tenth at a time. */
export const MAX_LINES = 100_000;

const BATCH = 1000;

/** The lines after one number up to another, oldest first. */
export async function* readLines(
  store: SecurityLogStore,
  { after, upTo }: { after: number; upTo: number },
): AsyncIterable<string> {
  for (let from = after; ;) {
    const stored = (await store.read(from, BATCH)).filter(({ number }) => number <= upTo);
    for (const { line } of stored) yield line;
    const newest = stored.at(-1);
    if (newest === undefined) return;
    from = newest.number;
  }
}

/** Whether everything that was written is there as it was written, and `seen`, a line that was noted elsewhere. */
export const verifyStore = (store: SecurityLogStore, seen?: Head): Promise<Verdict> => {
  let head = NO_LINE;
  async function* upToHead(): AsyncIterable<string> {
    for (let from = 0; ;) {
      const stored = await store.read(from, BATCH);
      for (const { line } of stored) yield line;
      from = stored.at(-1)?.number ?? from;
      if (stored.length > 0) continue;
      head = await store.head();
      // Lines may have been added since.
      if (head.number <= from || (await store.read(from, 1)).length === 0) return;
    }
  }
  return verifyLines(upToHead(), () => head, seen);
};
