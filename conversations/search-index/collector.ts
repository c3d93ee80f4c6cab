import type { Match } from "./scan.ts";

export type Collected = { file: number; rank: number; atSeconds: number; matches: Match[] };

/** Puts one among others that are in order; it mostly belongs at the end. */
const insert = <T>(sorted: T[], item: T, isBefore: (a: T, b: T) => boolean): void => {
  let at = sorted.length;
  while (at > 0 && isBefore(item, sorted[at - 1] as T)) at -= 1;
  sorted.splice(at, 0, item);
};

const isBetter = (a: Collected, b: Collected): boolean =>
  a.rank === b.rank ? a.atSeconds > b.atSeconds : a.rank < b.rank;

const isBetterMatch = (a: Match, b: Match): boolean => {
  if (a.rank !== b.rank) return a.rank < b.rank;
  const newer = a.part.atSeconds - b.part.atSeconds;
  return newer > 0 || (newer === 0 && a.part.ordinal > b.part.ordinal);
};

/** The best `limit` conversations so far, and how old a further one may be to matter. */
export const createCollector = ({ limit, hits }: { limit: number; hits: number }) => {
  const found = new Map<number, Collected>();
  const best: Collected[] = [];
  const shown = new Set<string>();
  return {
    /** whether a conversation may show more hits */
    isOpen: (file: number): boolean => (found.get(file)?.matches.length ?? 0) < hits,
    best: (): Collected[] => best.slice(0, limit),
    add: (match: Match): void => {
      const { file, part, rank, found: place } = match;
      const { atSeconds, kind, messageId, text } = part;
      const entry = found.get(file) ?? { file, rank, atSeconds: -1, matches: [] };
      found.set(file, entry);
      if (entry.rank === rank && atSeconds > entry.atSeconds) {
        if (entry.atSeconds >= 0) best.splice(best.indexOf(entry), 1);
        entry.atSeconds = atSeconds;
        insert(best, entry, isBetter);
      }
      // One hit a message; and a branch or a checkpoint repeats messages word for word: once is enough.
      const message = `${file}/${messageId}`;
      const words = `${file}:${kind}:${text.length}:${place.index}:${text.slice(place.index, place.index + 200)}`;
      if (!shown.has(message) && !shown.has(words)) insert(entry.matches, match, isBetterMatch);
      shown.add(message).add(words);
    },
    oldestNeeded: (rank: number): number => {
      const last = best[limit - 1];
      if (!last) return -1;
      return last.rank < rank ? Infinity : last.atSeconds;
    },
  };
};
