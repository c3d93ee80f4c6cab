import { clockText, localTimes } from "../../../core/people-time.ts";
import type { Style } from "../../command/style.ts";
import { wrapWords } from "../../command/wrap-words.ts";

const STAMPED = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.*)$/;

type Paint = (text: string) => string;

const paintOf = (text: string, style: Style): Paint => {
  if (/^(?:critic|warning|rate limit):/.test(text)) return style.yellow;
  if (/^tool: failed|\bended: (?:failed|stalled)|^gates .*(?:red|blocked)/.test(text)) return style.red;
  if (/\bended: complete|^gates .*healthy/.test(text)) return style.green;
  if (/^(?:context|tool):/.test(text)) return style.dim;
  return /^session \d+ of/.test(text) ? style.bold : String;
};

/**
 * A line of a worker's log for a terminal: the time of day here, in colour, its further lines under its
 * first word. A line without a time (a stack trace) stays as it is.
 */
export const logLines = (
  line: string,
  { style, columns, nowMs }: { style: Style; columns: number; nowMs: number },
): string[] => {
  const [, at, logged = ""] = STAMPED.exec(line) ?? [];
  if (at === undefined) return [line];
  const time = clockText(at, nowMs);
  const text = localTimes(logged, nowMs);
  const paint = paintOf(text, style);
  return wrapWords(text, Math.max(20, columns - time.length - 2)).map((part, row) =>
    row === 0 ? `${style.dim(time)}  ${paint(part)}` : `${" ".repeat(time.length + 2)}${paint(part)}`,
  );
};
