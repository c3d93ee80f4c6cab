import { conversationPorts } from "../../../conversations/ports.ts";
import { findAsItIs } from "../../../conversations/search-as-it-is.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import type { Environment } from "../../../core/paths.ts";
import { quickFiles } from "../../../core/quick-files.ts";
import { visibleText } from "../../../core/visible-text.ts";
import { endOfOutput, outputStream } from "../../command/output-stream.ts";
import { createStyle, wantsColor } from "../../command/style.ts";
import { describeNothing, describeResult } from "./describe-result.ts";

export const DEFAULT_LIMIT = 10;

/** What the words of a command line ask for when they are the plainest there are: a pattern, and maybe a limit. */
const readWords = (words: readonly string[]): { pattern: string; limit: number } | undefined => {
  const [pattern = "", count] = words;
  const limit = count === undefined ? DEFAULT_LIMIT : Number(count);
  const isPlain = pattern !== "" && pattern[0] !== "-" && words.length <= 2;
  return isPlain && Number.isInteger(limit) && limit > 0 ? { pattern, limit } : undefined;
};

/** Whatever goes wrong, the whole command comes upon it, too, and says so. */
const findQuietly = (...asked: Parameters<typeof findAsItIs>): ReturnType<typeof findAsItIs> => {
  try {
    return findAsItIs(...asked);
  } catch {
    return undefined;
  }
};

/**
 * Answers `agent-search <pattern> [limit]` from an unchanged index, to a file or a pipe: what agents and scripts ask
 * all day. Nothing of options, help, colours or JSON is loaded for it, which takes as long as the search itself.
 * @returns the exit code; undefined when that was asked for which only the whole command can do: nothing is said then
 */
export const answerQuickly = (words: readonly string[], env: Environment): number | undefined => {
  const asked = readWords(words);
  if (!asked || quickFiles().isTerminal(1) || wantsColor(env, {})) return undefined;
  const ports = conversationPorts(env);
  const answer = findQuietly(asked, ports);
  if (!answer) return undefined;
  let lost: ReturnType<typeof endOfOutput> | undefined;
  const onLost = (error: unknown): void => {
    lost = endOfOutput("output", error);
  };
  if (answer.results.length === 0) {
    outputStream("stderr", () => {}).write(`${describeNothing(answer, asked.pattern)}\n`);
    return EXIT.no;
  }
  const described = { style: createStyle(false), nowMs: ports.now() };
  let text = "";
  for (const result of answer.results) text += `${describeResult(result, described).join("\n")}\n`;
  outputStream("stdout", onLost).write(visibleText(text));
  if (lost?.message !== undefined) outputStream("stderr", () => {}).write(`error: ${lost.message}\n`);
  return lost?.exitCode ?? EXIT.yes;
};
