import { expect, test } from "vitest";
import { codeChangeLines } from "./code-change.ts";
import { createStyle } from "./style.ts";

const style = createStyle(false);
const show = (before: string | undefined, now: string) =>
  codeChangeLines({ file: "agent.config.ts", before, now }, style);

test("a new script is shown whole", () => {
  expect(show(undefined, "one\ntwo\n")).toEqual(["agent.config.ts: new", "+ one", "+ two"]);
});

/** A line that was changed, as a patch shows it. */
const around = (line: number): string[] => {
  const unchanged = (first: number) => [0, 1, 2].map((nth) => `  line ${first + nth}`);
  return unchanged(line - 3).concat(`- line ${line}`, `+ new ${line}`, unchanged(line + 1));
};

test("of a changed script each change is shown with what stands around it, and nothing else", () => {
  const text = Array.from({ length: 40 }, (_, nth) => `line ${nth + 1}`);
  const before = `${text.join("\n")}\n`;
  const now = `${text.with(4, "new 5").with(30, "new 31").join("\n")}\n`;
  expect(show(before, now)).toEqual(
    ["agent.config.ts: changed", "line 2"].concat(around(5), "line 28", around(31)),
  );
});

test("of very much it says how much more there is", () => {
  const lines = show(undefined, "x\n".repeat(1000));
  expect(lines).toHaveLength(402);
  expect(lines.at(-1)).toBe("… 600 more lines; read the file before you trust it");
});
