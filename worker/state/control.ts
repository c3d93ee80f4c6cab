import { randomUUID } from "node:crypto";
import { type FSWatcher, mkdirSync, readdirSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { writeFileDurably } from "../../core/durable-file.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { systemCode } from "../../core/errors.ts";

/** What a command asks of a running supervisor. Only the supervisor writes the state, so it is asked by files. */
export type ControlRequest =
  | { type: "stop"; isNow: boolean }
  | { type: "adjust"; max?: number; task?: string; model?: string };

/** Leaves a request for the supervisor; survives a supervisor that is just being restarted. */
export const sendControl = (folder: string, request: ControlRequest): void => {
  const name = `${String(Date.now()).padStart(15, "0")}-${randomUUID()}.json`;
  writeFileDurably(join(folder, name), JSON.stringify(request), { mode: 0o600 });
};

const isRequest = (value: unknown): value is ControlRequest =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  (value.type === "stop" || value.type === "adjust");

const listRequests = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".json") && !file.startsWith("."))
      .toSorted();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return []; // somebody removed the worker's folder
    throw error;
  }
};

/** Whether a stop was asked for that no supervisor has taken yet. */
export const hasStopRequest = (folder: string): boolean =>
  listRequests(folder).some((name) => readFileIfThere(join(folder, name))?.includes('"type":"stop"'));

/** Throws away what was asked of an earlier run: no supervisor read it, and it was not meant for this one. */
export const dropOldRequests = (folder: string, beforeMs: number): void => {
  for (const name of listRequests(folder))
    if (!(Number(name.split("-")[0]) >= beforeMs)) rmSync(join(folder, name), { force: true });
};

/** Takes the waiting requests, oldest first; what is no request is removed unread. */
export const takeControl = (folder: string): ControlRequest[] => {
  const requests: ControlRequest[] = [];
  for (const name of listRequests(folder)) {
    const path = join(folder, name);
    try {
      const value: unknown = JSON.parse(readFileIfThere(path) ?? "null");
      if (isRequest(value)) requests.push(value);
    } catch {
      // A file that somebody else put here is no request.
    }
    rmSync(path, { force: true });
  }
  return requests;
};

const POLL_MS = 1_000;

/** Calls back for each request as it comes: at once where the platform tells, else within a second. */
export const watchControl = (
  folder: string,
  onRequest: (request: ControlRequest) => void,
): { close: () => void } => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const look = () => {
    for (const request of takeControl(folder)) onRequest(request);
  };
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, look);
    watcher.on("error", () => watcher?.close());
  } catch {
    watcher = undefined; // out of inotify watches: the poll below still looks
  }
  const timer = setInterval(look, POLL_MS);
  look();
  return {
    close: () => {
      clearInterval(timer);
      watcher?.close();
    },
  };
};
