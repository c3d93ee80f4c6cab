import { entryFor } from "./allow-list.ts";
import { type CallEntry, sumCalls } from "./ledger.ts";

const UNITS = ["B", "KiB", "MiB", "GiB"] as const;

export const describeBytes = (bytes: number): string => {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)));
  const value = bytes / 1024 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`;
};

/** The ledger as people read it, a line for each host: refused ones first, with what would allow them. */
export const describeLedger = (entries: readonly CallEntry[]): string[] =>
  sumCalls(entries).map((entry) => {
    const times = entry.times === 1 ? "once" : `${entry.times} times`;
    const named = `${entry.verdict.padEnd(7)}  ${entryFor(entry)}  ${times}`;
    if (entry.verdict === "allowed")
      return `${named}, ${describeBytes(entry.bytesSent)} sent, ${describeBytes(entry.bytesReceived)} received`;
    return `${named}: ${entry.reason ?? ""}`;
  });
