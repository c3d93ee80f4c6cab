import { pino, type Logger } from "pino";

/** Structured logs, one JSON line each, on stderr. */
export type Log = Logger;

export const createLog = (level: string): Log =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );

/** A log that says nothing, for programs that embed the server. */
export const createSilentLog = (): Log => pino({ level: "silent" });
