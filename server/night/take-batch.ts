import { type Static, Type } from "../../core/schema.ts";
import { takeReport } from "../fleet/fleet.ts";
import { isActive } from "./card.ts";
import { foldBatch } from "./fold.ts";
import type { NightPorts } from "./ports.ts";
import type { NightBatch } from "./schemas.ts";

const GAP_MS = 1_000;
const LONGEST_GAP_MS = 10_000;
/** Of the server's time each active worker may take this much between two of its reports. */
const SHARE_MS = 30;
const ACTIVE_MS = 60_000;

/** How many workers report at present: what the pace is set by. */
export const createPace = (now: () => number) => {
  const heard = new Map<string, number>();
  return (who: string, isOn: boolean): number => {
    const at = now();
    if (isOn) heard.set(who, at);
    else heard.delete(who);
    if (heard.size > 20) for (const [one, time] of heard) if (time < at - ACTIVE_MS) heard.delete(one);
    return Math.min(LONGEST_GAP_MS, Math.max(GAP_MS, heard.size * SHARE_MS));
  };
};

export const BatchAnswer = Type.Object({ ok: Type.Boolean(), nextInMs: Type.Integer() });

const withoutNul = (text: string): string => text.replaceAll("\u0000", "\uFFFD");

/**
 * Keeps what a supervisor tells: the newest report of its worker, and what happened in its run.
 * @returns when it should tell the next, in milliseconds: the more workers, the later
 */
export const takeBatch = async (
  { store, fleet, bus, pace, now }: NightPorts,
  { host, worker, batch }: { host: string; worker: string; batch: NightBatch },
): Promise<Static<typeof BatchAnswer>> => {
  const events = batch.events.map((event) =>
    event.text === undefined ? event : { ...event, text: withoutNul(event.text) },
  );
  const head = { ...batch.run, project: withoutNul(batch.run.project) };
  const clean = { ...batch, run: head, events };
  const { isLatest } = await store.change(batch.run.id, (before) =>
    foldBatch(before, clean, { host, worker, now: now() }),
  );
  // What an earlier run left to tell says nothing of how the worker is now.
  if (isLatest) await takeReport({ store: fleet, now }, { host, worker, report: batch.report });
  bus.tell({ run: batch.run.id, kinds: ["report", ...new Set(events.map(({ kind }) => kind))] });
  return { ok: true, nextInMs: pace(`${host}/${worker}`, isActive(batch.report.status)) };
};
