import { createRequire } from "node:module";
import type { pino } from "pino";
import { AppError } from "./errors.ts";

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
type Level = (typeof LEVELS)[number];

/** Structured logs, one JSON line each, on stderr. */
export type Log = Record<"debug" | "info" | "warn" | "error", (fields: object, message: string) => void>;

// Loading pino takes as long as opening the database, and a server that is well says nothing while it starts.
const loadPino = (): typeof pino => createRequire(import.meta.url)("pino") as typeof pino;

/** @param level the least that is written: one of pino's, or `silent` */
export const createLog = (level: string): Log => {
  let logger: pino.Logger | undefined;
  const open = (): pino.Logger => {
    const load = loadPino();
    return load(
      { level, base: null, timestamp: load.stdTimeFunctions.isoTime },
      load.destination({ fd: 2, sync: true }),
    );
  };
  const least = level === "silent" ? LEVELS.length : LEVELS.indexOf(level as Level);
  const write =
    (at: keyof Log): Log["info"] =>
    (fields, message) => {
      if (LEVELS.indexOf(at) >= least) (logger ??= open())[at](fields, message);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
};

/** Work that nobody waits for failed. A database that is away, or a full disk, is no fault of the work: no stack. */
export const logFailure = (log: Log, error: unknown, message: string): void => {
  if (error instanceof AppError) log.warn({ why: error.message }, message);
  else log.error({ err: error }, message);
};

/** A log that says nothing, for programs that embed the server. */
export const createSilentLog = (): Log => createLog("silent");
