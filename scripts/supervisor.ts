#!/usr/bin/env node
// The process behind `worker start`: reads its request, supervises the worker, announces itself on fd 3.
import { closeSync, readFileSync, rmSync, utimesSync, writeSync } from "node:fs";
import { systemClock } from "../core/clock.ts";
import { endMarked } from "../core/process-tree.ts";
import { AppError, errorText } from "../core/errors.ts";
import { EXIT } from "../core/exit-codes.ts";
import { ERROR_CODES } from "../core/error-codes.ts";
import { workersHome } from "../core/paths.ts";
import { uptimeMs } from "../core/uptime.ts";
import { getDriver } from "../worker/start/find-driver.ts";
import { watchLease, openLeaseLine } from "../worker/state/lease.ts";
import { workerFiles } from "../worker/state/worker-files.ts";
import { ANNOUNCE_FD, type Announcement } from "../worker/start/spawn-supervisor.ts";
import type { StartRequest } from "../worker/loop/start-request.ts";
import { supervise } from "../worker/loop/supervise.ts";

let isAnnounced = false;
/** whoever started it is gone */
let isOrphan = false;
const announce = (announcement: Announcement): void => {
  if (isAnnounced) return;
  isAnnounced = true;
  try {
    writeSync(ANNOUNCE_FD, `${JSON.stringify(announcement)}\n`);
    closeSync(ANNOUNCE_FD);
  } catch {
    isOrphan = true; // the worker was asked for all the same
  }
};

const stop = new AbortController();
const stopNow = new AbortController();
for (const name of ["SIGTERM", "SIGINT"] as const)
  process.on(name, () => (stop.signal.aborted ? stopNow.abort() : stop.abort()));
process.on("SIGHUP", () => {}); // the terminal that started it went away
// Whatever a timer or a stream of ours throws: a night's work does not end for it. stderr is the worker's log.
process.on("uncaughtException", (error) => {
  try {
    console.error("internal error, continuing:", error);
  } catch {
    // nowhere to say it
  }
});

/** Whoever lost the lease must have nothing running when somebody else may begin: no grace, no last words. */
const holdLease = (name: string, { mark, until }: NonNullable<StartRequest["lease"]>): void => {
  const { heartbeat } = workerFiles(workersHome(process.env), name);
  const onLost = (reason: string) => {
    stop.abort();
    stopNow.abort(reason);
    const end = () => void endMarked(mark, { clock: systemClock, graceMs: 200 });
    end();
    setInterval(end, 1_000);
  };
  watchLease({ uptimeMs, line: openLeaseLine(), until }, { onLost, onRenewed: () => beat(heartbeat) });
};

/** Tells the pool that we hear it: a supervisor that hangs must not keep its task. */
const beat = (heartbeat: string): void => {
  const now = new Date();
  try {
    utimesSync(heartbeat, now, now);
  } catch {
    // The pool made the file; without it, it will say what it missed.
  }
};

try {
  const path = process.argv[2];
  if (!path)
    throw new AppError(
      "usage",
      "supervisor: the request file is missing; workers are started with: worker start",
    );
  const request = JSON.parse(readFileSync(path, "utf8")) as StartRequest;
  rmSync(path, { force: true }); // it may hold secrets, and its writer may be gone by now
  if (request.lease) holdLease(request.name, request.lease);
  await supervise(
    {
      clock: systemClock,
      env: process.env,
      fetch,
      home: workersHome(process.env),
      sinceMs: performance.timeOrigin,
      getDriver,
      renderer: "silent",
      signals: { stop: stop.signal, stopNow: stopNow.signal },
      onStarted: (state) => announce({ state }),
    },
    request,
  );
  process.exit(EXIT.yes); // a timer that somebody forgot must not keep an ended worker's process
} catch (error) {
  const isOurs = error instanceof AppError;
  announce({
    error: isOurs
      ? { code: error.code, message: error.message, details: { ...error.details } }
      : { code: "internal", message: errorText(error) },
  });
  // What was expected is told to whoever started it; a bug belongs into the log with all that is known of it.
  if (!isOurs || isOrphan) console.error(isOurs ? error.message : error);
  process.exit(isOurs ? ERROR_CODES[error.code].exit : EXIT.internal);
}
