import { hasUnseen, visibleText } from "../../core/visible-text.ts";
import { localTimes } from "../../core/people-time.ts";
import { type Style, createStyle, wantsColor } from "./style.ts";
import { COLOR_CODES } from "./table.ts";
import { wrapProse } from "./wrap-words.ts";

export type Stream = {
  write: (text: string) => unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
};

/** What is printed was often written by others: of all control codes only our own colours get through. */
const printable = (text: string, isColored: boolean): string => {
  if (!hasUnseen(text)) return text;
  if (!isColored) return visibleText(text);
  return text
    .split(/(\u001B\[[0-9;]*m)/)
    .map((piece, index) => (index % 2 === 1 ? piece : visibleText(piece)))
    .join("");
};

/** The one way a command speaks: the answer on stdout (text or JSON), everything else on stderr. */
export type Reporter = {
  isJson: boolean;
  /** stdout is a terminal */
  isTerminal: boolean;
  /** a line can be drawn over: a terminal that is not dumb and knows how wide it is */
  canRedraw: boolean;
  columns: number;
  style: Style;
  /** answer for people; silent under `--json`; prose is wrapped to the width of a terminal */
  text: (line: string) => void;
  /** the same, as it stands: a patch, a script */
  verbatim: (text: string) => void;
  /** answer as JSON; silent without `--json` */
  json: (value: unknown) => void;
  /** either: the document under `--json`, else the lines */
  answer: (value: unknown, lines: string | readonly string[]) => void;
  /** progress and remarks, on stderr; times in the time zone here */
  note: (line: string) => void;
};

const LEAST_COLUMNS = 20;

/** COLUMNS, which somebody set on purpose (also for a pipe), else the terminal's; one that was not told its size says 0. */
const columnsOf = (env: Readonly<Record<string, string | undefined>>, { columns }: Stream): number => {
  const wanted = Number(env["COLUMNS"]);
  return Number.isInteger(wanted) && wanted >= LEAST_COLUMNS ? wanted : columns || 80;
};

export const createReporter = ({
  isJson,
  env,
  stdout,
  stderr,
}: {
  isJson: boolean;
  env: Readonly<Record<string, string | undefined>>;
  stdout: Stream;
  stderr: Stream;
}): Reporter => {
  const isColored = !isJson && wantsColor(env, stdout);
  const isNoteColored = isColored && wantsColor(env, stderr);
  const columns = columnsOf(env, stdout);
  const wrapped = (line: string, { isTTY }: Stream): string =>
    isTTY === true ? wrapProse(line, columns) : line;
  const verbatim = (line: string) => {
    if (!isJson) stdout.write(`${printable(line, isColored)}\n`);
  };
  const text = (line: string) => verbatim(wrapped(line, stdout));
  const json = (value: unknown) => {
    if (isJson) stdout.write(`${JSON.stringify(value)}\n`);
  };
  return {
    isJson,
    isTerminal: stdout.isTTY === true,
    canRedraw: stdout.isTTY === true && env["TERM"] !== "dumb" && (stdout.columns ?? 0) > 0,
    columns,
    style: createStyle(isColored),
    text,
    verbatim,
    json,
    answer: (value, lines) => {
      json(value);
      if (lines.length > 0) text(typeof lines === "string" ? lines : lines.join("\n"));
    },
    note: (line) => {
      const shown = wrapped(localTimes(line, Date.now()), stderr);
      // It may be written in the colours of stdout, and go into a file.
      stderr.write(
        `${printable(isNoteColored ? shown : shown.replaceAll(COLOR_CODES, ""), isNoteColored)}\n`,
      );
    },
  };
};
