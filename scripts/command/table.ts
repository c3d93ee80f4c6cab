import type { Style } from "./style.ts";

/** Our own colours. */
export const COLOR_CODES = /\u001B\[[0-9;]*m/g;

/** Latin letters, dashes, quotes, boxes. Most texts are nothing else, and loading the segmenter takes 25 ms. */
const ONE_COLUMN_EACH = /^[\u0020-\u007E\u00A0-\u00A8\u00AA-\u00AC\u00AF-\u02FF\u2010-\u2027\u2500-\u259F]*$/;

/** How wide a text stands on a terminal (colour codes do not count; wide East Asian letters and emoji count twice). */
export const displayWidth = (text: string): number => {
  const plain = text.replaceAll(COLOR_CODES, "");
  if (ONE_COLUMN_EACH.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(plain))
    width +=
      /\p{Extended_Pictographic}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u.test(
        segment,
      )
        ? 2
        : 1;
  return width;
};

const PATH = /^~?\/\S+$/;

/** Cuts a text to a width on the terminal, with an ellipsis where something is missing: paths are told apart by their end. */
export const fit = (text: string, width: number): string => {
  if (displayWidth(text) <= width) return text;
  if (PATH.test(text) && ONE_COLUMN_EACH.test(text)) return `…${text.slice(1 - Math.max(2, width))}`;
  if (ONE_COLUMN_EACH.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (displayWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
};

const LEAST_LAST = 8;
const INDENT = "  ";

/** The cells of a row on as many lines as they need. */
const flow = (cells: readonly string[], columns: number): string[] => {
  const lines: string[] = [];
  for (const cell of cells.filter((text) => text !== "")) {
    const line = lines.at(-1);
    if (line !== undefined && displayWidth(`${line}  ${cell}`) <= columns)
      lines[lines.length - 1] = `${line}  ${cell}`;
    else lines.push(line === undefined ? fit(cell, columns) : `${INDENT}${fit(cell, columns - 2)}`);
  }
  return lines;
};

/**
 * Aligned columns, two blanks between; the last one is cut so that a line fits the terminal. Where there is no
 * room for it, the columns `mayGo` are left out, the first of them first. If that is not enough, the last one
 * stands under the others, and where there is no room for those either, a row goes on in the next line.
 */
export const table = (...input: Parameters<typeof tableRows>): string[] => tableRows(...input).flat();

/** A table under a dimmed head; nothing where there are no rows. */
export const listing = (
  { style, columns }: { style: Style; columns: number },
  head: readonly string[],
  rows: readonly (readonly string[])[],
  mayGo?: readonly number[],
): string[] =>
  rows.length === 0 ? [] : table([head.map((word) => style.dim(word)), ...rows], columns, mayGo);

/** The lines of each row. */
export const tableRows = (
  all: readonly (readonly string[])[],
  columns = 80,
  mayGo: readonly number[] = [],
): string[][] => {
  const gone = new Set<number>();
  for (const index of mayGo) {
    const left = without(all, gone);
    const last = Math.max(LEAST_LAST, displayWidth(left[0]?.at(-1) ?? "")); // its heading is never cut
    if (headWidth(left) + last > columns) gone.add(index);
  }
  const rows = without(all, gone);
  const widths = widthsOf(rows);
  const head = headWidth(rows);
  if (widths.length > 2 && head > columns) return rows.map((row) => flow(row, columns));
  const isFolded = widths.length > 2 && head + LEAST_LAST > columns;
  return rows.map((row) => {
    const cells = row.map((cell, index) =>
      index === row.length - 1 ? cell : cell + " ".repeat((widths[index] ?? 0) - displayWidth(cell)),
    );
    const start = cells.slice(0, -1).join("  ");
    if (isFolded && row.length > 1)
      return [start.trimEnd(), `${INDENT}${fit(cells.at(-1) ?? "", columns - 2)}`.trimEnd()].filter(Boolean);
    const left = Math.max(LEAST_LAST, columns - displayWidth(start) - 2);
    return [row.length === 1 ? (cells[0] ?? "") : `${start}  ${fit(cells.at(-1) ?? "", left)}`.trimEnd()];
  });
};

type Rows = readonly (readonly string[])[];

const without = (rows: Rows, gone: ReadonlySet<number>): Rows =>
  rows.map((row) => row.filter((_, index) => !gone.has(index)));

export const widthsOf = (rows: Rows): number[] => {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  return widths;
};

/** What stands before the last column. */
const headWidth = (rows: Rows): number =>
  widthsOf(rows)
    .slice(0, -1)
    .reduce((sum, width) => sum + width + 2, 0);
