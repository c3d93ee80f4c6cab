import { parseJson } from "../../core/parse-json.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { NightBatch } from "../../client/server-client.ts";
import { removeQuietly, writeFileDurably } from "../../core/durable-file.ts";
import { systemCode } from "../../core/errors.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import type { ToldEvent } from "./told-event.ts";

/** What is told at once: how the worker is, which run that is, and what happened since. */
export type Batch = NightBatch;

const MAX_BYTES = 8 * 1024 * 1024;

const sizeOf = ({ text, data }: ToldEvent): number =>
  (text?.length ?? 0) + (data === undefined ? 0 : JSON.stringify(data).length) + 100;

/** Within bounds: of what waits longest, first what is long goes, then it is forgotten. */
export const boundEvents = (events: readonly ToldEvent[], maxBytes = MAX_BYTES): ToldEvent[] => {
  let bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
  const shortened = events.map((event) => {
    if (bytes <= maxBytes || event.text === undefined) return event;
    const { text, ...rest } = event;
    bytes -= text.length;
    return rest;
  });
  const from = shortened.findIndex((event) => {
    const fits = bytes <= maxBytes;
    bytes -= sizeOf(event);
    return fits;
  });
  return from < 0 ? [] : shortened.slice(from);
};

const BATCH_EVENTS = 400;
const BATCH_BYTES = 600_000;

/** As much of what waits as one request takes; at least one event. */
export const nextEvents = (events: readonly ToldEvent[]): ToldEvent[] => {
  let bytes = 0;
  const end = events.findIndex((event, at) => {
    bytes += (event.text?.length ?? 0) + JSON.stringify(event.data ?? {}).length;
    return at > 0 && (at >= BATCH_EVENTS || bytes > BATCH_BYTES);
  });
  return end < 0 ? [...events] : events.slice(0, end);
};

const isBatch = (value: unknown): value is Batch =>
  typeof value === "object" && value !== null && "events" in value && Array.isArray(value.events);

export type Spooled = { file: string; batch: Batch };

/** What supervisors left that could not tell it, the oldest first. */
export const listSpooled = (folder: string): Spooled[] => {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => /^\d+-[\w-]+\.json$/.test(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
  return names.toSorted().flatMap((name) => {
    const file = join(folder, name);
    const batch = parseJson(readFileIfThere(file) ?? "");
    if (isBatch(batch)) return [{ file, batch }];
    removeQuietly(file);
    return [];
  });
};

/** One stream's place on the disk for what the server could not be told yet. */
export const openSpool = (folder: string, { stream, startedMs }: { stream: string; startedMs: number }) => {
  const file = join(folder, `${String(startedMs).padStart(15, "0")}-${stream}.json`);
  let isThere = false;
  return {
    file,
    /** @throws AppError when the disk takes nothing */
    save: (batch: Batch): void => {
      writeFileDurably(file, JSON.stringify(batch), { mode: 0o600 });
      isThere = true;
    },
    clear: (): void => {
      if (isThere) removeQuietly(file);
      isThere = false;
    },
  };
};
