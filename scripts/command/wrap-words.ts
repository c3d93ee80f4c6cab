import { displayWidth, table, widthsOf } from "./table.ts";

/** The words of a text on lines of a width; a word that is wider stands on a line of its own, whole. */
export const wrapWords = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 1 + displayWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

const LEAST_ROOM = 20;

/** A text behind its head on lines of a width; its further lines stand under its first word. */
export const hang = (head: string, text: string, columns: number): string[] => {
  const indent = displayWidth(head);
  const room = columns - indent;
  const widest = Math.max(...text.split(" ").map(displayWidth));
  // Too narrow for two columns: the text stands under its head.
  if (room < LEAST_ROOM || (widest > room && widest <= columns - 4))
    return [head.trimEnd(), ...wrapWords(text, columns - 4).map((line) => `    ${line}`)];
  return wrapWords(text, room).map((line, row) => `${row === 0 ? head : " ".repeat(indent)}${line}`);
};

/** The same for a person at a terminal only: for a program a line stays a line, however long. */
export const hangOnTerminal = (
  head: string,
  text: string,
  { isTerminal, columns }: { isTerminal: boolean; columns: number },
): string[] => (isTerminal ? hang(head, text, columns) : [`${head}${text}`]);

/** Aligned columns like those of a table, but what the last one says is wrapped and never cut. */
export const hangingTable = (
  rows: readonly (readonly string[])[],
  screen: { isTerminal: boolean; columns: number },
): string[] => {
  const widths = widthsOf(rows.map((row) => row.slice(0, -1)));
  if (widths.reduce((sum, width) => sum + width + 2, 0) > screen.columns) return table(rows, screen.columns);
  return rows.flatMap((row) => {
    const head = widths.map((width, i) => `${row[i]}${" ".repeat(width - displayWidth(row[i] ?? "") + 2)}`);
    return hangOnTerminal(head.join(""), row.at(-1) ?? "", screen).map((line) => line.trimEnd());
  });
};

/** What is known of one thing: a name and a value in each row; a row without a value is left out. */
export const details = (
  rows: readonly (readonly [name: string, value: string | undefined])[],
  screen: { isTerminal: boolean; columns: number },
): string[] =>
  hangingTable(
    rows.flatMap(([name, value]) => (value === undefined ? [] : [[`  ${name}`, value]])),
    screen,
  );

/** Prose of several lines on a width. What begins with a blank stays whole: a row of a table, a command to paste. */
export const wrapProse = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith(" ") || displayWidth(line) <= columns) return [line];
      const item = /^[-*] /.exec(line)?.[0] ?? "";
      return hang(item, line.slice(item.length), columns);
    })
    .join("\n");
