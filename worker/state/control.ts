import { parseJson } from "../../core/parse-json.ts";
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

/**
 * Takes the waiting requests, oldest first; what is no request is removed unread, what cannot be read now
 * stays for the next look.
 */
export const takeControl = (folder: string): ControlRequest[] => {
  const requests: ControlRequest[] = [];
  for (const name of listRequests(folder)) {
    const path = join(folder, name);
    let text: string | undefined;
    try {
      text = readFileIfThere(path);
      rmSync(path, { force: true });
    } catch (error) {
      if (requests.length > 0) return requests;
      throw error;
    }
    const request = parseJson(text ?? "");
    if (isRequest(request)) requests.push(request); // a file that somebody else put here is none
  }
  return requests;
};

const POLL_MS = 1_000;

/**
 * Calls back for each request as it comes: at once where the platform tells, else within a second. A look that
 * fails (no descriptor left, a disk that errs) is told once to `onFailure`, and the next one tries again.
 */
export const watchControl = (
  folder: string,
  onRequest: (request: ControlRequest) => void,
  onFailure: (error: unknown) => void = () => {},
): { close: () => void } => {
  let hasFailed = false;
  const look = () => {
    try {
      for (const request of takeControl(folder)) onRequest(request);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onFailure(error);
      hasFailed = true;
    }
  };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    onFailure(error); // requests make it, too
  }
  look();
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, look);
    watcher.on("error", () => watcher?.close());
  } catch {
    watcher = undefined; // out of inotify watches: the poll below still looks
  }
  const timer = setInterval(look, POLL_MS);
  return {
    close: () => {
      clearInterval(timer);
      watcher?.close();
    },
  };
};
