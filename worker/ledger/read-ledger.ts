import { type TokenClasses, addTokens } from "../../agents/token-classes.ts";
import { readLinesFrom } from "../../core/read-file.ts";
import { type LedgerEntry, parseEntry } from "./entry.ts";
import { listLedgerFiles } from "./ledger-files.ts";

/** What a session used between two of its entries, at the time of the later one. */
export type Share = Pick<LedgerEntry, "session" | "worker" | "project" | "agent" | "model"> & {
  atMs: number;
  tokens?: TokenClasses;
  costUsd?: number;
};

/** Shares with, for each session, whether its last entry told its tokens and its cost. */
export type Ledger = {
  shares: Share[];
  last: Map<string, LedgerEntry>;
  /** lines that could not be read */
  damaged: number;
};

const subtract = (later: TokenClasses, earlier: TokenClasses | undefined): TokenClasses =>
  earlier === undefined
    ? later
    : addTokens(later, Object.fromEntries(Object.entries(earlier).map(([name, tokens]) => [name, -tokens])));

const shareOf = (entry: LedgerEntry, before: Pick<LedgerEntry, "tokens" | "costUsd"> | undefined): Share => ({
  session: entry.session,
  worker: entry.worker,
  project: entry.project,
  agent: entry.agent,
  ...(entry.model === undefined ? {} : { model: entry.model }),
  atMs: Date.parse(entry.at),
  ...(entry.tokens === undefined ? {} : { tokens: subtract(entry.tokens, before?.tokens) }),
  ...(entry.costUsd === undefined ? {} : { costUsd: entry.costUsd - (before?.costUsd ?? 0) }),
});

type Known = Map<string, Pick<LedgerEntry, "tokens" | "costUsd">>;

/** Adds entries, in the order in which they were written; `known` holds what each session has told so far. */
const take = (ledger: Ledger, known: Known, lines: readonly string[]): void => {
  for (const line of lines) {
    const entry = parseEntry(line);
    if (!entry) {
      ledger.damaged += 1;
      continue;
    }
    const before = known.get(entry.session);
    ledger.shares.push(shareOf(entry, before));
    known.set(entry.session, { ...before, ...entry });
    ledger.last.set(entry.session, entry);
  }
};

/**
 * Follows the ledger of a workers' home: each `read` takes in only what was written since the one before.
 * @param sinceMs files that no line since then can be in are left out
 */
export const followLedger = (home: string, sinceMs = 0): { read: () => Ledger } => {
  const offsets = new Map<string, number>();
  const ledger: Ledger = { shares: [], last: new Map(), damaged: 0 };
  const known: Known = new Map();
  return {
    read: () => {
      for (const path of listLedgerFiles(home, sinceMs)) {
        const { text, offset } = readLinesFrom(path, offsets.get(path) ?? 0);
        offsets.set(path, offset);
        take(ledger, known, text.split("\n").filter(Boolean));
      }
      return ledger;
    },
  };
};
