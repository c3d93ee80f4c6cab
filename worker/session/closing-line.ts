/** What an agent's last words say: the work is done, or somebody has to go on. */
export type ClosingLine = { kind: "done"; summary: string } | { kind: "handoff"; note: string } | undefined;

const MARK = /^(?:[*_#\s]*)(DONE|HANDOFF):(?:\*\*|__)?\s*(.*)$/;

const isPlaceholder = (rest: string): boolean =>
  /^[<[{(].*[>\]})]$/.test(rest.trim()) || /^(\.{3}|…)$/.test(rest.trim());

type Line = { text: string; isQuoted: boolean };

/** Lines inside code fences or quotations are mention, not use. */
const readLines = (text: string): Line[] => {
  let isFenced = false;
  return text.split(/\r?\n/).map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    const isQuoted = isFenced || isFence || /^\s*>/.test(line);
    if (isFence) isFenced = !isFenced;
    return { text: line, isQuoted };
  });
};

/**
 * Reads the closing line of an agent's last message. `DONE:` counts only as a line of its own that opens
 * the last paragraph or stands in it: not inside a sentence, not quoted or fenced, not a placeholder of the
 * instructions, and not with more work described behind it. `HANDOFF:` may open a longer note.
 */
export const readClosingLine = (text: string): ClosingLine => {
  const lines = readLines(text.trimEnd());
  const marks = lines.flatMap((line, index) => {
    const match = line.isQuoted ? null : MARK.exec(line.text);
    return match && !isPlaceholder(match[2] ?? "")
      ? [{ index, kind: match[1], rest: (match[2] ?? "").trim() }]
      : [];
  });
  const last = marks.at(-1);
  if (!last) return undefined;
  const behind = lines.slice(last.index + 1).map((line) => line.text);
  if (last.kind === "HANDOFF") return { kind: "handoff", note: [last.rest, ...behind].join("\n").trim() };
  const isLastParagraph = !behind.some(
    (line, index) => line.trim() === "" && behind.slice(index).some((next) => next.trim() !== ""),
  );
  return isLastParagraph ? { kind: "done", summary: [last.rest, ...behind].join("\n").trim() } : undefined;
};
