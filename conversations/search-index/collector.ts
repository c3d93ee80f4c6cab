import type { FileHead } from "./file-head.ts";
import type { Match } from "./scan.ts";

type Bounds = { limit: number; hitsPerConversation: number };

export type Collected = { file: FileHead; rank: number; atSeconds: number; matches: Match[] };

const isAfter = (a: Match, b: Match): boolean => {
  if (a.rank !== b.rank) return a.rank > b.rank;
  const newer = b.part.atSeconds - a.part.atSeconds;
  return newer > 0 || (newer === 0 && b.part.ordinal > a.part.ordinal);
};

/** Puts a match among others, best first and then newest first: they come so, or nearly. */
const insert = (matches: Match[], match: Match): void => {
  let at = matches.length;
  for (; at > 0; at -= 1) {
    const before = matches[at - 1] as Match;
    if (!isAfter(before, match)) break;
    matches[at] = before;
  }
  matches[at] = match;
};

/** The best `limit` conversations so far, and how old a further one may be to matter. */
export const createCollector = ({ limit, hitsPerConversation }: Bounds) => {
  const found = new Map<number, Collected>();
  /** best first */
  const order: Collected[] = [];
  const shown = new Set<string>();
  const full = new Set<number>();
  /** Matches come best first, so that a place is nearly always the one it has. */
  const place = (entry: Collected, from: number): void => {
    let at = from;
    for (; at > 0; at -= 1) {
      const before = order[at - 1] as Collected;
      if (before.rank < entry.rank || (before.rank === entry.rank && before.atSeconds >= entry.atSeconds))
        break;
      order[at] = before;
    }
    order[at] = entry;
  };
  return {
    /** conversations that have all the hits they may show */
    full: full as ReadonlySet<number>,
    ranked: () => order.slice(0, limit),
    add: (match: Match) => {
      const { file, part, rank, found: at } = match;
      let entry = found.get(file.file);
      if (!entry) {
        entry = { file, rank, atSeconds: part.atSeconds, matches: [] };
        found.set(file.file, entry);
        place(entry, order.length);
      } else if (entry.rank === rank && part.atSeconds > entry.atSeconds) {
        entry.atSeconds = part.atSeconds;
        place(entry, order.indexOf(entry));
      }
      if (entry.matches.length >= hitsPerConversation) return;
      // One hit a message; and a branch or a checkpoint repeats messages word for word: once is enough.
      const message = `${file.file}/${part.messageId}`;
      if (shown.has(message)) return;
      const key = `${file.file}:${part.kind}:${part.text.length}:${at.index}:${part.text.slice(at.index, at.index + 200)}`;
      if (shown.has(key)) return;
      shown.add(key);
      shown.add(message);
      insert(entry.matches, match);
      if (entry.matches.length >= hitsPerConversation) full.add(file.file);
    },
    oldestNeeded: (rank: number): number => {
      const last = order[limit - 1];
      if (!last) return -1;
      return last.rank < rank ? Infinity : last.atSeconds;
    },
  };
};
