import { systemCode } from "../../core/errors.ts";
import { quickFiles } from "../../core/quick-files.ts";
import type { Stream } from "./reporter.ts";

const writeAll = (descriptor: number, text: string): void => {
  // Not Buffer.from: on Bun the first call of it compiles for a tenth of a millisecond.
  const room = Buffer.allocUnsafeSlow(text.length * 3);
  const bytes = room.subarray(0, room.write(text));
  for (let done = 0; done < bytes.length;)
    try {
      done += quickFiles().write(descriptor, bytes.subarray(done));
    } catch (error) {
      // A full pipe that somebody made non-blocking: its reader needs a moment.
      if (systemCode(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
};

/**
 * Where a command writes. The runtime's own stream is built only for a terminal: on Bun that takes longer
 * (8 ms) than everything else a fast command does. A reader that went away (`| head`) ends the program well.
 */
export const outputStream = (name: "stdout" | "stderr", endWell: () => never): Stream => {
  const descriptor = name === "stdout" ? 1 : 2;
  const onError = (error: unknown): void => {
    if (systemCode(error) === "EPIPE") endWell();
    throw error;
  };
  if (process.platform === "win32" || quickFiles().isTerminal(descriptor)) {
    const stream = process[name];
    stream.on("error", onError);
    return stream;
  }
  return {
    isTTY: false,
    columns: undefined,
    write: (text) => {
      try {
        writeAll(descriptor, text);
      } catch (error) {
        onError(error);
      }
    },
  };
};
