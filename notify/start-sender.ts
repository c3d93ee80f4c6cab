import { spawn } from "node:child_process";
import { join } from "node:path";
import { findLockHolder } from "../core/lock-owner.ts";
import type { Environment } from "../core/paths.ts";
import { MARKER } from "../core/process-tree.ts";
import { builtProgram } from "../core/version.ts";
import { outboxFolder } from "./outbox.ts";

/** Held by the one sender of an outbox. */
export const senderLock = (home: string): string => join(outboxFolder(home), "sender.lock");

/**
 * Starts the process that sends what waits, unless one is at it. It outlives its starter, holds nobody up, and ends
 * by itself when nothing waits any more.
 */
export const startSender = (home: string, env?: Environment): void => {
  if (findLockHolder(senderLock(home)) !== undefined) return;
  const child = spawn(process.execPath, [builtProgram("scripts/send-notices.js"), home], {
    cwd: "/",
    detached: true,
    stdio: "ignore",
    // It is no session's process: it must not end with one.
    ...(env === undefined ? {} : { env: { ...env, [MARKER]: undefined } }),
  });
  child.on("error", () => {}); // what waits goes out with the next notice
  child.unref();
};
