/** What an agent's last words say: the work is done, or somebody has to go on. */
export type ClosingLine = { kind: "done"; summary: string } | { kind: "handoff"; note: string } | undefined;

/** A note is a note, however it is dressed up. */
const HANDOFF = /^[*_#\s]*HANDOFF:(?:\*\*|__)?\s*(.*)$/;
/** The first column, nothing before it. */
const WORD = /^(DONE|HANDOFF):[ \t]*(.*)$/;
const LIKE_DONE = /^[\s>*_#`+\d.)-]*DONE\b/;

const isPlaceholder = (rest: string): boolean =>
  /^[<[{(].*[>\]})]$/.test(rest.trim()) || /^(\.{3}|…)$/.test(rest.trim());

type Line = { text: string; isQuoted: boolean };

/** Lines inside code fences or quotations are mention, not use (CommonMark: also the lines that a quotation goes on with). */
const readLines = (text: string): Line[] => {
  let fence: string | undefined;
  let isInQuotation = false;
  return text.split(/\r?\n/).map((line) => {
    const [, ticks = "", behind = ""] = /^\s*(?:>\s*)*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence !== undefined) {
      if (ticks.startsWith(fence) && behind.trim() === "") fence = undefined;
      return { text: line, isQuoted: true };
    }
    if (ticks !== "" && !(ticks.startsWith("`") && behind.includes("`"))) {
      fence = ticks;
      return { text: line, isQuoted: true };
    }
    isInQuotation = line.trim() !== "" && (isInQuotation || /^\s*>/.test(line));
    return { text: line, isQuoted: isInQuotation };
  });
};

/**
 * Reads the closing word of an agent's last message. `DONE:` counts only at the first column of the last line
 * that is not blank, outside of fences and quotations, as the only closing word there is, and not as a
 * placeholder of the instructions. `HANDOFF:` may open a longer note.
 */
export const readClosingLine = (text: string): ClosingLine => {
  const lines = readLines(text.trimEnd());
  const last = lines.at(-1);
  const words = lines.filter((line) => !line.isQuoted && WORD.test(line.text));
  const [, word, rest = ""] = WORD.exec(last?.text ?? "") ?? [];
  if (word === "DONE" && !last?.isQuoted && words.length === 1 && !isPlaceholder(rest))
    return { kind: "done", summary: rest.trim() };
  return findNote(lines);
};

const findNote = (lines: readonly Line[]): ClosingLine => {
  const index = lines.findLastIndex(
    ({ text, isQuoted }) =>
      !isQuoted && !isPlaceholder(HANDOFF.exec(text)?.[1] ?? "...") && HANDOFF.test(text),
  );
  if (index < 0) return undefined;
  const opening = HANDOFF.exec(lines[index]?.text ?? "")?.[1] ?? "";
  const note = [opening, ...lines.slice(index + 1).map((line) => line.text)];
  return { kind: "handoff", note: note.join("\n").trim() };
};

/** Whether a message that is not done reads as if it was meant to be: its writer has to be told. */
export const seemsDone = (text: string): boolean =>
  readClosingLine(text)?.kind !== "done" &&
  readLines(text).some(({ text: line, isQuoted }) => !isQuoted && LIKE_DONE.test(line));
