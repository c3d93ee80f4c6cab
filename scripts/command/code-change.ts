import type { UntrustedFile } from "../../core/config/trust-record.ts";
import type { Style } from "./style.ts";

const MOST_LINES = 400;

/** Lines that two texts have in common at their beginning and end; what lies between is shown whole. */
const changedPart = (before: readonly string[], now: readonly string[]) => {
  let start = 0;
  while (start < before.length && start < now.length && before[start] === now[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < now.length - start &&
    before[before.length - 1 - end] === now[now.length - 1 - end]
  )
    end++;
  return {
    start,
    removed: before.slice(start, before.length - end),
    added: now.slice(start, now.length - end),
  };
};

/** A script as somebody who is to trust it must see it: all of it when it is new, else what has changed. */
export const codeChangeLines = ({ file, before, now }: UntrustedFile, style: Style): string[] => {
  const { start, removed, added } = changedPart(before?.split("\n") ?? [], now.trimEnd().split("\n"));
  const lines = [
    ...removed.map((line) => style.red(`- ${line}`)),
    ...added.map((line) => style.green(`+ ${line}`)),
  ];
  const more = lines.length - MOST_LINES;
  return [
    style.bold(`${file}: ${before === undefined ? "new" : `changed from line ${start + 1} on`}`),
    ...lines.slice(0, MOST_LINES),
    ...(more > 0 ? [style.bold(`… ${more} more lines; read the file before you trust it`)] : []),
  ];
};
