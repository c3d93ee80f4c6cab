import { copyFileSync, existsSync, renameSync, statSync, truncateSync } from "node:fs";
import { appendLines, removeQuietly, temporaryBeside } from "../../core/durable-file.ts";
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
/** Of one text; an agent may say megabytes at once, and logs must stay readable. */
const LINE_CHARS = 100_000;
const EVENT_CHARS = 1_000_000;

const isFull = (path: string, maxBytes: number): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes;

/** `x.log.1` becomes `x.log.2`, and so on; the oldest goes. */
const shiftRotated = (path: string): void => {
  for (let number = KEPT - 1; number >= 1; number--)
    if (existsSync(`${path}.${number}`)) renameSync(`${path}.${number}`, `${path}.${number + 1}`);
};

/** `x.jsonl` becomes `x.jsonl.1`. */
export const rotate = (path: string, maxBytes = LOG_BYTES): void => {
  if (!isFull(path, maxBytes)) return;
  shiftRotated(path);
  renameSync(path, `${path}.1`);
};

/**
 * The same for the log, which stays the file it is: the supervisor's own stderr, where its runtime writes the
 * last words of a crash, is open on it all night. What it held is in `x.log.1` before it is emptied.
 */
export const rotateLog = (path: string, maxBytes = LOG_BYTES): void => {
  if (!isFull(path, maxBytes)) return;
  const copy = temporaryBeside(path);
  try {
    copyFileSync(path, copy);
    shiftRotated(path);
    renameSync(copy, `${path}.1`);
  } catch (error) {
    removeQuietly(copy);
    throw error;
  }
  truncateSync(path);
};

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)} [… ${text.length - most} characters cut]` : text;

/** ECMA-48: sequences that move, colour or clear; those that set a title; then whatever else is no letter. */
const CONTROLS =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B\].*?(?:\u0007|\u001B\\)|[\u0000-\u0008\u000B-\u001F\u007F]/g;

/** A log is looked at on a terminal: what an agent or its tools print must not steer it. */
const asPlainText = (text: string): string => text.replaceAll(CONTROLS, "");

/** An event as one line, its texts bounded, with secrets taken out of them before quotes are escaped: behind a backslash they would not be known. */
export const encodeEvent = (event: Record<string, unknown>): string =>
  JSON.stringify(event, (_, value: unknown) =>
    typeof value === "string" ? redactSecrets(cut(value, EVENT_CHARS)) : value,
  );

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
    onEvent,
  }: {
    now: () => number;
    onFailure: (error: unknown) => void;
    onLine?: (text: string) => void;
    onEvent?: (type: string, data: Record<string, unknown>) => void;
  },
): WorkerLog => {
  let hasFailed = false;
  const append = (path: string, lines: readonly string[], shiftIn: (path: string) => void) => {
    try {
      shiftIn(path);
      appendLines(path, lines, { mode: 0o600 }); // whatever the agent says and sees is in it
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onFailure(error);
      hasFailed = true;
    }
  };
  return {
    line: (text) => {
      const time = new Date(now()).toISOString();
      const clean = redactSecrets(asPlainText(cut(text, LINE_CHARS)));
      append(
        files.log,
        clean.split("\n").map((line) => `${time} ${line}`),
        rotateLog,
      );
      onLine?.(clean);
    },
    event: (type, data = {}) => {
      append(files.events, [encodeEvent({ at: new Date(now()).toISOString(), type, ...data })], rotate);
      onEvent?.(type, data);
    },
  };
};
