import { expect, test } from "vitest";
import { codeChangeLines } from "./code-change.ts";
import { createStyle } from "./style.ts";

const style = createStyle(false);
const show = (before: string | undefined, now: string) =>
  codeChangeLines({ file: "agent.config.ts", before, now }, style);

test("a new script is shown whole", () => {
  expect(show(undefined, "one\ntwo\n")).toEqual(["agent.config.ts: new", "+one", "+two"]);
});

test("of a changed script each change is shown with what stands around it, and nothing else", () => {
  const text = Array.from({ length: 40 }, (_, nth) => `line ${nth + 1}`);
  const before = `${text.join("\n")}\n`;
  const now = `${text.with(4, "new 5").with(30, "new 31").join("\n")}\n`;
  expect(show(before, now)).toEqual([
    "agent.config.ts: changed",
    "line 2",
    ...[" line 2", " line 3", " line 4", "-line 5", "+new 5", " line 6", " line 7", " line 8"],
    "line 28",
    ...[" line 28", " line 29", " line 30", "-line 31", "+new 31", " line 32", " line 33", " line 34"],
  ]);
});

test("of very much it says how much more there is", () => {
  const lines = show(undefined, "x\n".repeat(1000));
  expect(lines).toHaveLength(402);
  expect(lines.at(-1)).toBe("… 600 more lines; read the file before you trust it");
});
