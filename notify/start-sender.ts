import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findLockHolder } from "../core/lock-owner.ts";
import type { Environment } from "../core/paths.ts";
import { MARKER } from "../core/process-tree.ts";
import { outboxFolder } from "./outbox.ts";

/** Held by the one sender of an outbox. */
export const senderLock = (home: string): string => join(outboxFolder(home), "sender.lock");

const senderProgram = (): string => {
  const beside = fileURLToPath(new URL("../scripts/send-notices.js", import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL("../dist/scripts/send-notices.js", import.meta.url));
};

/**
 * Starts the process that sends what waits, unless one is at it. It outlives its starter, holds nobody up, and ends
 * by itself when nothing waits any more.
 */
export const startSender = (home: string, env?: Environment): void => {
  if (findLockHolder(senderLock(home)) !== undefined) return;
  const child = spawn(process.execPath, [senderProgram(), home], {
    cwd: "/",
    detached: true,
    stdio: "ignore",
    // It is no session's process: it must not end with one.
    ...(env === undefined ? {} : { env: { ...env, [MARKER]: undefined } }),
  });
  child.on("error", () => {}); // what waits goes out with the next notice
  child.unref();
};
