import { entryFor } from "./allow-list.ts";

/** What is known of one host and port so far; times are milliseconds since the epoch. */
export type CallEntry = {
  host: string;
  port: number;
  verdict: "allowed" | "refused" | "failed";
  /** why it was refused or could not be reached, the last time */
  reason?: string;
  times: number;
  bytesSent: number;
  bytesReceived: number;
  firstAt: number;
  lastAt: number;
};

type Seen = Pick<CallEntry, "host" | "port" | "verdict" | "reason">;

/** A connection's line in the ledger: how far it is, told as often as one likes. */
export type Count = (bytes: { sent: number; received: number }) => void;

/** With so many names a session is looking for a hole; from there on they share one line. */
const MAX_LINES = 1_000;
const OTHERS = "(others)";

/**
 * Adds up who was called. Every change marks its line; `flush` hands the changed ones on, each whole, so that the
 * last one said of a host and port is all there is to know.
 */
export const createLedger = ({
  now,
  onLedger,
}: {
  now: () => number;
  onLedger: (entry: CallEntry) => void;
}) => {
  const lines = new Map<string, CallEntry>();
  const changed = new Set<CallEntry>();
  const lineOf = ({ host, port, verdict, reason }: Seen): CallEntry => {
    const isFull = lines.size >= MAX_LINES && !lines.has(`${verdict} ${host}:${port}`);
    const named = isFull ? { host: OTHERS, port: 0 } : { host, port };
    const key = `${verdict} ${named.host}:${named.port}`;
    const line = lines.get(key) ?? {
      ...named,
      verdict,
      times: 0,
      bytesSent: 0,
      bytesReceived: 0,
      firstAt: now(),
      lastAt: now(),
    };
    if (reason !== undefined) line.reason = reason;
    lines.set(key, line);
    return line;
  };
  const flush = (): void => {
    for (const line of changed) onLedger({ ...line });
    changed.clear();
  };
  /** Counts one call and says it at once: it must be known even if nothing comes after it. */
  const note = (seen: Seen): Count => {
    const line = lineOf(seen);
    line.times += 1;
    line.lastAt = now();
    onLedger({ ...line });
    let before = { sent: 0, received: 0 };
    return ({ sent, received }) => {
      if (sent === before.sent && received === before.received) return;
      line.bytesSent += sent - before.sent;
      line.bytesReceived += received - before.received;
      line.lastAt = now();
      before = { sent, received };
      changed.add(line);
    };
  };
  return { note, flush };
};

/** The last word of each host and port, refused ones first, then by bytes. */
export const sumCalls = (entries: readonly CallEntry[]): CallEntry[] => {
  const last = new Map(entries.map((entry) => [`${entry.verdict} ${entry.host}:${entry.port}`, entry]));
  const rank = { refused: 0, failed: 1, allowed: 2 } as const;
  return [...last.values()].sort(
    (a, b) =>
      rank[a.verdict] - rank[b.verdict] ||
      b.bytesSent + b.bytesReceived - a.bytesSent - a.bytesReceived ||
      (entryFor(a) < entryFor(b) ? -1 : 1),
  );
};
