import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { errorText, systemCode } from "../../core/errors.ts";
import { EXIT } from "../../core/exit-codes.ts";
import { ERROR_CODES } from "../../core/error-codes.ts";
import type { Stream } from "./reporter.ts";

const writeAll = (descriptor: number, text: string): void => {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;)
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      // A full pipe that somebody made non-blocking: its reader needs a moment.
      if (systemCode(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
};

/** How a command ends whose output could not be written: well where its reader went away (`| head`), else told. */
export const endOfOutput = (name: string, error: unknown): { exitCode: number; message?: string } => {
  const code = systemCode(error);
  if (code === "EPIPE") return { exitCode: EXIT.yes };
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return {
    exitCode: ERROR_CODES[isFull ? "storage-full" : "unavailable"].exit,
    message: `cannot write the ${name}: ${errorText(error)}`,
  };
};

/**
 * Where a command writes. The runtime's own stream is built only for a terminal: on Bun that takes longer
 * (8 ms) than everything else a fast command does. After the first failure `onLost` hears of it, and nothing
 * more is written.
 */
export const outputStream = (name: "stdout" | "stderr", onLost: (error: unknown) => void): Stream => {
  const descriptor = name === "stdout" ? 1 : 2;
  let isLost = false;
  const lose = (error: unknown): void => {
    if (isLost) return;
    isLost = true;
    onLost(error);
  };
  if (process.platform === "win32" || isatty(descriptor)) {
    const stream = process[name];
    stream.on("error", lose);
    return stream;
  }
  return {
    isTTY: false,
    columns: undefined,
    write: (text) => {
      try {
        if (!isLost) writeAll(descriptor, text);
      } catch (error) {
        lose(error);
      }
    },
  };
};
