import { errorText, systemCode } from "../../core/errors.ts";
import { EXIT } from "../../core/exit-codes.ts";
import { ERROR_CODES } from "../../core/error-codes.ts";
import type { Stream } from "./reporter.ts";

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

/** Where a command writes. After the first failure `onLost` hears of it, and nothing more is written. */
export const outputStream = (name: "stdout" | "stderr", onLost: (error: unknown) => void): Stream => {
  const stream = process[name];
  let isLost = false;
  stream.on("error", (error) => {
    if (!isLost) onLost(error);
    isLost = true;
  });
  return {
    isTTY: stream.isTTY,
    columns: stream.columns,
    write: (text) => {
      if (!isLost) stream.write(text);
    },
  };
};
