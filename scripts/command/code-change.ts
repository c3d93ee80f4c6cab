import { structuredPatch } from "diff";
import type { UntrustedFile } from "../../core/config/trust-record.ts";
import type { Style } from "./style.ts";

const MOST_LINES = 400;
const CONTEXT_LINES = 3;

const styled = (line: string, style: Style): string => {
  const text = `${line.charAt(0)} ${line.slice(1)}`;
  if (line.startsWith("-")) return style.red(text);
  return line.startsWith("+") ? style.green(text) : text;
};

/** A script as somebody who is to trust it must see it: all of it when it is new, else what has changed. */
export const codeChangeLines = ({ file, before, now }: UntrustedFile, style: Style): string[] => {
  const { hunks } = structuredPatch(file, file, before ?? "", now, "", "", { context: CONTEXT_LINES });
  const lines = hunks.flatMap(({ newStart, lines: changed }) => [
    ...(before === undefined ? [] : [style.bold(`line ${newStart}`)]),
    ...changed.map((line) => styled(line, style)),
  ]);
  const more = lines.length - MOST_LINES;
  return [
    style.bold(`${file}: ${before === undefined ? "new" : "changed"}`),
    ...lines.slice(0, MOST_LINES),
    ...(more > 0 ? [style.bold(`… ${more} more lines; read the file before you trust it`)] : []),
  ];
};
