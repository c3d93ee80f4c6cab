import { createInterface } from "node:readline/promises";
import { AppError } from "../../core/errors.ts";
import type { CommandIo } from "./define-command.ts";

/**
 * A question that is answered with yes or no, on a terminal.
 * @throws AppError `interrupted` at Ctrl-C; the end of the input (Ctrl-D) is a no
 */
export const ask = async (question: string, { stdin, signal, reporter }: CommandIo): Promise<boolean> => {
  const prompt = createInterface({ input: stdin, output: process.stderr });
  const stop = new AbortController();
  // A terminal in raw mode gives Ctrl-C to readline and not to the process.
  prompt.once("SIGINT", () => stop.abort());
  const ended = new Promise<string>((resolve) => prompt.once("close", () => resolve("")));
  try {
    const asked = prompt.question(`${question} [y/N] `, { signal: AbortSignal.any([signal, stop.signal]) });
    return /^y(es)?$/i.test((await Promise.race([asked, ended])).trim());
  } catch (error) {
    reporter.note("");
    throw new AppError("interrupted", "interrupted; nothing was written", { cause: error });
  } finally {
    prompt.close();
  }
};
