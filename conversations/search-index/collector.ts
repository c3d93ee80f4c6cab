import type { FileHead } from "./file-head.ts";
import type { Match } from "./scan.ts";

type Bounds = { limit: number; hitsPerConversation: number };

export type Collected = { file: FileHead; rank: number; atSeconds: number; matches: Match[] };

/** The best `limit` conversations so far, and how old a further one may be to matter. */
export const createCollector = ({ limit, hitsPerConversation }: Bounds) => {
  const found = new Map<number, Collected>();
  const all: Collected[] = [];
  const shown = new Set<string>();
  let order: Collected[] | undefined;
  const ranked = () =>
    (order ??= [...all].sort((a, b) => a.rank - b.rank || b.atSeconds - a.atSeconds).slice(0, limit));
  return {
    ranked,
    add: (match: Match) => {
      const { file, part, rank } = match;
      const known = found.get(file.file);
      const entry = known ?? { file, rank, atSeconds: part.atSeconds, matches: [] };
      if (!known) {
        found.set(file.file, entry);
        all.push(entry);
      }
      if (!known || (entry.rank === rank && part.atSeconds > entry.atSeconds)) {
        entry.atSeconds = part.atSeconds;
        order = undefined;
      }
      if (entry.matches.length >= hitsPerConversation) return;
      // One hit a message; and a branch or a checkpoint repeats messages word for word: once is enough.
      const message = `${file.file}/${part.messageId}`;
      const key = `${file.file}:${part.kind}:${part.text.length}:${match.found.index}:${part.text.slice(match.found.index, match.found.index + 200)}`;
      if (shown.has(key) || shown.has(message)) return;
      shown.add(key);
      shown.add(message);
      entry.matches.push(match);
    },
    isFull: (file: number) => (found.get(file)?.matches.length ?? 0) >= hitsPerConversation,
    oldestNeeded: (rank: number): number => {
      if (all.length < limit) return -1;
      const best = ranked();
      const last = best[best.length - 1];
      return last === undefined || last.rank < rank ? Infinity : last.atSeconds;
    },
  };
};
