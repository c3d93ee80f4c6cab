import { existsSync, renameSync, statSync } from "node:fs";
import { appendLines } from "../../core/durable-file.ts";
import { redactSecrets } from "../../core/redaction.ts";
import type { WorkerFiles } from "./worker-files.ts";

/** The log that people read and the events that programs read. */
export type WorkerLog = {
  /** lines for people; each gets the time */
  line: (text: string) => void;
  /** one JSON line: `{at, type, …}` */
  event: (type: string, data?: Record<string, unknown>) => void;
};

export const LOG_BYTES = 10 * 1024 * 1024;
const KEPT = 3;

/** `x.log` becomes `x.log.1`, and so on; the oldest goes. */
export const rotate = (path: string, maxBytes = LOG_BYTES): void => {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < maxBytes) return;
  for (let number = KEPT - 1; number >= 1; number--)
    if (existsSync(`${path}.${number}`)) renameSync(`${path}.${number}`, `${path}.${number + 1}`);
  renameSync(path, `${path}.1`);
};

/**
 * Opens both. A log that cannot be written (a full disk) must not end a night's work: the failure is
 * told once to `onFailure`, and the log goes on as soon as there is room again.
 */
export const openWorkerLog = (
  files: WorkerFiles,
  {
    now,
    onFailure,
    onLine,
  }: { now: () => number; onFailure: (error: unknown) => void; onLine?: (text: string) => void },
): WorkerLog => {
  let hasFailed = false;
  const append = (path: string, lines: readonly string[]) => {
    try {
      rotate(path);
      appendLines(path, lines);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onFailure(error);
      hasFailed = true;
    }
  };
  return {
    line: (text) => {
      const time = new Date(now()).toISOString();
      const clean = redactSecrets(text);
      append(
        files.log,
        clean.split("\n").map((line) => `${time} ${line}`),
      );
      onLine?.(clean);
    },
    event: (type, data = {}) =>
      append(files.events, [
        redactSecrets(JSON.stringify({ at: new Date(now()).toISOString(), type, ...data })),
      ]),
  };
};
