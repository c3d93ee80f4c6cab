import { removeQuietly } from "../../core/durable-file.ts";
import { inPath } from "../../client/server-client.ts";
import { type FleetSettings, askFleet, isFinal } from "./fleet-client.ts";
import { type Batch, type Spooled, nextEvents } from "./spool.ts";

type Fetch = typeof globalThis.fetch;

/** Tells the server one batch of a worker of this host; never throws. */
export const tellBatch = (fetch: Fetch, settings: FleetSettings, worker: string, batch: Batch) =>
  askFleet(fetch, settings, (client, options) =>
    client.api
      .fleet({ host: inPath(settings.host) })({ worker: inPath(worker) })
      .events.post(batch, options),
  );

/**
 * Tells what supervisors left that could not, the oldest first; what the server refuses it never takes.
 * @returns what is left still
 */
export const tellLeft = async (
  fetch: Fetch,
  settings: FleetSettings,
  worker: string,
  left: readonly Spooled[],
): Promise<Spooled[]> => {
  for (const [nth, { file, batch }] of left.entries()) {
    for (let rest = batch.events; rest.length > 0;) {
      const part = nextEvents(rest);
      const asked = await tellBatch(fetch, settings, worker, { ...batch, events: part });
      if (asked.problem !== undefined && !isFinal(asked)) return left.slice(nth);
      rest = rest.slice(part.length);
    }
    removeQuietly(file);
  }
  return [];
};
