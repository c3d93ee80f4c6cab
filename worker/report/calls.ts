import { parseJson } from "../../core/parse-json.ts";
import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { type CallEntry, sumCalls } from "../../sandbox/network/ledger.ts";
import type { WorkerFiles } from "../state/worker-files.ts";

type NetworkEvent = CallEntry & { type: "network"; session: number };

const parse = (line: string): NetworkEvent | undefined => {
  if (!line.includes('"type":"network"')) return undefined;
  const event = parseJson(line) as Partial<NetworkEvent> | undefined; // none, where a full disk cut it off
  return event?.type === "network" && typeof event.host === "string" ? (event as NetworkEvent) : undefined;
};

const isSame = (one: CallEntry, other: CallEntry): boolean =>
  one.host === other.host && one.port === other.port && one.verdict === other.verdict;

const add = (one: CallEntry, other: CallEntry): CallEntry => ({
  ...other,
  times: one.times + other.times,
  bytesSent: one.bytesSent + other.bytesSent,
  bytesReceived: one.bytesReceived + other.bytesReceived,
  firstAt: Math.min(one.firstAt, other.firstAt),
  lastAt: Math.max(one.lastAt, other.lastAt),
});

/**
 * Whom a worker's sandboxes called, as far back as its events are kept. Each sandbox counts on its own from the time it
 * first called a host, so that its last word of a host is its sum.
 */
export const readCalls = async ({ events }: Pick<WorkerFiles, "events">): Promise<CallEntry[]> => {
  const last = new Map<string, CallEntry>();
  for (const file of [`${events}.3`, `${events}.2`, `${events}.1`, events]) {
    if (!existsSync(file)) continue;
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const event = parse(line);
      if (!event) continue;
      const { host, port, verdict, reason, times, bytesSent, bytesReceived, firstAt, lastAt } = event;
      const entry = { host, port, verdict, times, bytesSent, bytesReceived, firstAt, lastAt };
      last.set(`${event.session} ${firstAt} ${verdict} ${host}:${port}`, {
        ...entry,
        ...(reason === undefined ? {} : { reason }),
      });
    }
  }
  const sums: CallEntry[] = [];
  for (const entry of last.values()) {
    const at = sums.findIndex((sum) => isSame(sum, entry));
    const before = sums[at];
    if (before) sums[at] = add(before, entry);
    else sums.push(entry);
  }
  return sumCalls(sums);
};
