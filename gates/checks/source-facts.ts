import { parseSync, Visitor } from "oxc-parser";
import type { Finding } from "../gate.ts";
import { findConsoleLogs } from "./console-log.ts";

/** What the syntax of one source file shows. */
export type SourceFacts = { any: Finding[]; todo: Finding[]; consoleLog: Finding[] };

const MARKERS = /\b(TODO|FIXME|XXX|HACK)\b/;

/** Which line, from 1, an offset of a text is in. */
export const linesOf = (text: string): ((offset: number) => number) => {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
};

/** Reads one source by its syntax: words in strings and names are no findings. */
export const readSourceFacts = (file: string, text: string): SourceFacts => {
  const facts: SourceFacts = { any: [], todo: [], consoleLog: [] };
  // Most files hold nothing of interest: looking for the words is far cheaper than parsing.
  if (!/\bany\b|console|TODO|FIXME|XXX|HACK/.test(text)) return facts;
  // JSX stands in .js files, too; what is JavaScript without it is the same with it.
  const isPlain = /\.[cm]?js$/.test(file);
  const { program, comments, errors } = parseSync(file, text, isPlain ? { lang: "jsx" } : {});
  const lineAt = linesOf(text);
  const at = (offset: number, message: string): Finding => ({ file, line: lineAt(offset), message });
  if (errors.length > 0 && program.body.length === 0) {
    // What cannot be parsed was not looked at, and that is no pass.
    const finding = at(
      errors[0]?.labels[0]?.start ?? 0,
      `not checked, it cannot be parsed: ${errors[0]?.message ?? "syntax error"}`,
    );
    facts.any.push(finding);
    facts.consoleLog.push(finding);
  }
  new Visitor({
    TSAnyKeyword: ({ start }) => {
      facts.any.push(at(start, "explicit any; name the type, or use unknown and narrow it"));
    },
  }).visit(program);
  if (text.includes("console"))
    for (const offset of findConsoleLogs(program))
      facts.consoleLog.push(at(offset, "console.log; remove it, or use the project's logger"));
  for (const { value, start } of comments)
    for (const [i, line] of value.split("\n").entries()) {
      const marker = MARKERS.exec(line);
      if (!marker) continue;
      const offset =
        start + 2 + value.split("\n").slice(0, i).join("\n").length + (i > 0 ? 1 : 0) + marker.index;
      facts.todo.push(at(offset, line.slice(marker.index).trim().slice(0, 160)));
    }
  return facts;
};
