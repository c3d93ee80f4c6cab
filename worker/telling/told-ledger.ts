import { redactSecrets } from "../../core/redaction.ts";
import type { Told } from "./told-event.ts";

const ENTRIES = 100;
const EVERY_MS = 10_000;
const RANK: Readonly<Record<string, number>> = { refused: 0, failed: 1, allowed: 2 };

/** Whom a session called, as far as its network's events say: host, port, what came of it, how often, bytes. */
type Entry = [host: string, port: number, verdict: string, times: number, bytes: number, reason: string];

const textOf = (value: unknown): string =>
  typeof value === "string" ? redactSecrets(value.slice(0, 300)) : "";
const countOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** Adds up what the network's events say, so that the server is told now and then and not of every call. */
export const createToldLedger = () => {
  let entries = new Map<string, Entry>();
  let session = 0;
  let isNew = false;
  let toldMs = -Infinity;
  return {
    note: (data: Record<string, unknown>): void => {
      const number = countOf(data["session"]);
      if (number !== session) entries = new Map();
      session = number;
      const [host, port, verdict] = [textOf(data["host"]), countOf(data["port"]), textOf(data["verdict"])];
      const bytes = countOf(data["bytesSent"]) + countOf(data["bytesReceived"]);
      entries.set(`${verdict} ${host}:${port}`, [
        host,
        port,
        verdict,
        countOf(data["times"]),
        bytes,
        textOf(data["reason"]),
      ]);
      isNew = true;
    },
    /** What is to be told now, the whole of the session; undefined when there is nothing new, or not yet. */
    take: (nowMs: number, isLast: boolean): { told: Told; session: number } | undefined => {
      if (!isNew || (!isLast && nowMs - toldMs < EVERY_MS)) return undefined;
      isNew = false;
      toldMs = nowMs;
      const sorted = [...entries.values()].toSorted(
        (a, b) => (RANK[a[2]] ?? 3) - (RANK[b[2]] ?? 3) || b[4] - a[4],
      );
      return {
        told: { kind: "ledger", data: { entries: sorted.slice(0, ENTRIES), hosts: sorted.length } },
        session,
      };
    },
  };
};
