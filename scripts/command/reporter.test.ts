import { expect, test } from "vitest";
import { createReporter } from "./reporter.ts";
import { fit, table } from "./table.ts";

test("what is too wide loses its end, a path its beginning", () => {
  expect(fit("Fix the broken links", 10)).toBe("Fix the b…");
  expect(fit("/home/somebody/projects/site", 10)).toBe("…ects/site");
  expect(fit("/home", 10)).toBe("/home");
  expect(fit("/home/x is full", 10)).toBe("/home/x i…");
});

test("the last column is what gives way", () => {
  const rows = [
    ["NAME", "STATUS", "DIRECTORY"],
    ["docs", "running", "/home/somebody/projects/site"],
  ];
  expect(table(rows, 20)).toEqual(["NAME  STATUS", "  DIRECTORY", "docs  running", "  …ody/projects/site"]);
  expect(table(rows, 10)).toEqual(["NAME", "  STATUS", "  DIRECTO…", "docs", "  running", "  …ts/site"]);
  expect(table(rows, 30)).toEqual(["NAME  STATUS   DIRECTORY", "docs  running  …/projects/site"]);
});

test("columns that may go leave in their order, and the others stay aligned", () => {
  const rows = [
    ["NAME", "COST", "GATE", "DIRECTORY"],
    ["docs", "$1.20", "pass", "/home/somebody/projects/site"],
  ];
  expect(table(rows, 40, [2, 1])).toEqual([
    "NAME  COST   GATE  DIRECTORY",
    "docs  $1.20  pass  …mebody/projects/site",
  ]);
  expect(table(rows, 24, [2, 1])).toEqual(["NAME  COST   DIRECTORY", "docs  $1.20  …jects/site"]);
  expect(table(rows, 18, [2, 1])).toEqual(["NAME  DIRECTORY", "docs  …ojects/site"]);
});

test("heeds COLUMNS, in a pipe too, and writes no colours into what is not a terminal", () => {
  let err = "";
  const stdout = { write: () => true, isTTY: true, columns: 120 };
  const stderr = { write: (text: string) => (err += text) };
  const columns = (env: Record<string, string>, out: typeof stdout | typeof stderr) =>
    createReporter({ isJson: false, env, stdout: out, stderr }).columns;
  expect([columns({ COLUMNS: "50" }, stdout), columns({}, stdout), columns({}, stderr)]).toEqual([
    50, 120, 80,
  ]);
  expect([columns({ COLUMNS: "50" }, stderr), columns({ COLUMNS: "wide" }, stdout)]).toEqual([50, 120]);
  const reporter = createReporter({ isJson: false, env: {}, stdout, stderr });
  reporter.note(reporter.style.red("failed"));
  expect(err).toBe("failed\n");
});

test("prose breaks between words on a terminal only; a row, a command and what is verbatim stay whole", () => {
  const write = (isTTY: boolean): string => {
    let out = "";
    const stream = { write: (text: string) => (out += text), isTTY, columns: 24 };
    const reporter = createReporter({
      isJson: false,
      env: { NO_COLOR: "1" },
      stdout: stream,
      stderr: stream,
    });
    reporter.text("- the worker is running already");
    reporter.text("  git commit --message 'All of it'");
    reporter.verbatim("export const answer = 'a long one';");
    reporter.note("error: no such worker is there");
    return out;
  };
  const whole = [
    "- the worker is running already",
    "  git commit --message 'All of it'",
    "export const answer = 'a long one';",
    "error: no such worker is there",
    "",
  ].join("\n");
  expect(write(false)).toBe(whole);
  expect(write(true)).toBe(whole.replace(" already", "\n  already").replace(" there", "\nthere"));
});

test("a remark says the times of files in the time zone here", () => {
  let err = "";
  const at = new Date();
  at.setHours(10, 2, 11, 0);
  const stderr = { write: (text: string) => (err += text) };
  const { note } = createReporter({ isJson: false, env: {}, stdout: stderr, stderr });
  note(`held since ${at.toISOString()}; stop it`);
  expect(err).toBe("held since 10:02; stop it\n");
});
