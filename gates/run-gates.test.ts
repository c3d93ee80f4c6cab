import { expect, test } from "vitest";
import type { GateDeclaration } from "../core/config/sections/gates.ts";
import { findIdentity } from "../core/process-identity.ts";
import { useScratch } from "../test/scratch.ts";
import { waitFor } from "../test/wait-for.ts";
import { writeBaseline } from "./baseline.ts";
import { textReport } from "./report/text.ts";
import { runGatesOf } from "./fixtures/run-gates-of.ts";
import type { GateReport } from "./gate.ts";
import { selectGates } from "./select-gates.ts";

const project = useScratch();
type Declared = Record<string, GateDeclaration>;
const run = (declared: Declared = {}, options: Parameters<typeof runGatesOf>[2] = {}) =>
  runGatesOf(project.root, declared, options);
const outcome = (report: GateReport, id: string) => {
  const found = report.gates.find((gate) => gate.id === id);
  if (!found) throw new Error(`no gate ${id}`);
  return found;
};

test("finds any, TODO and console.log by syntax, and not the same words in strings, names and types", async () => {
  project.put(
    "src/a.ts",
    [
      "const words = 'any TODO console.log';",
      "const anyone = (many: string[]): any => many;",
      "// nothing TODOish here, todo list",
      "console.log(words);",
      "console.error(anyone);",
      "/* a block",
      "   FIXME: second line */",
      "export type T = Record<string, any>;",
    ].join("\n"),
  );
  const report = await run({}, { only: ["any", "todo", "console"] });
  expect(outcome(report, "any")).toMatchObject({
    severity: "block",
    result: "fail",
    findings: [{ file: "src/a.ts", line: 2 }, { line: 8 }],
  });
  expect(outcome(report, "todo")).toMatchObject({
    severity: "warn",
    result: "fail",
    findings: [{ line: 7, message: "FIXME: second line */".slice(0, 18) }],
  });
  expect(outcome(report, "console")).toMatchObject({
    severity: "warn",
    result: "fail",
    findings: [{ line: 4 }],
  });
  expect(report.verdict).toBe("fail");
});

test("warnings alone leave the verdict a pass", async () => {
  project.put("a.js", "// TODO: later\n");
  expect(await run({}, { only: ["todo"] })).toMatchObject({ verdict: "pass", gates: [{ result: "fail" }] });
});

test("uncommitted work blocks: changed, staged and untracked, names with blanks included", async () => {
  project.git("init", "-q");
  project.put("kept.txt", "1");
  project.git("add", ".");
  project.git("commit", "-qm", "x");
  expect((await run({}, { only: ["uncommitted"] })).verdict).toBe("pass");
  project.put("kept.txt", "2");
  project.put("new file.txt", "1");
  const { findings } = outcome(await run({}, { only: ["uncommitted"] }), "uncommitted");
  expect(findings.map(({ file }) => file).sort()).toEqual(["kept.txt", "new file.txt"]);
});

test("outside git, without TypeScript and without sources no check ran, which is no pass", async () => {
  const report = await run();
  expect(report.verdict).toBe("none");
  expect(report.gates.map(({ result }) => result)).toEqual(["none", "none", "none", "none", "none"]);
});

test("a check that should have run and could not blocks", async () => {
  project.put("tsconfig.json", "{}");
  const report = await run({ lint: { command: "surely-no-such-program --x" } }, { only: ["types", "lint"] });
  expect(report.verdict).toBe("fail");
  expect(outcome(report, "types")).toMatchObject({ result: "none", couldNotRun: true });
  expect(outcome(report, "lint")).toMatchObject({ result: "none", couldNotRun: true });
});

test("type errors come from the project's own script, with the place, and the first one is looked up", async () => {
  project.put("src/a.ts", "export {};\n");
  project.put(
    "package.json",
    JSON.stringify({
      scripts: {
        typecheck: `echo "src/a.ts(1,2): error TS2322: Type 'string' is not assignable." && exit 2`,
      },
    }),
  );
  const report = await run({}, { only: ["types"], past: "seen before" });
  expect(outcome(report, "types").findings).toEqual([
    { file: "src/a.ts", line: 1, message: "TS2322: Type 'string' is not assignable." },
  ]);
  expect(report.past).toBe("seen before: TS2322: Type 'string' is not assignable.");
});

test("an answer is kept for exactly these inputs: one byte more and the gate runs again", async () => {
  project.put("in/data.txt", "1");
  const declared = { own: { command: "echo x >> runs.log", inputs: ["in/**"] } };
  const runs = () => project.read("runs.log").length / 2;
  expect(outcome(await run(declared, { only: ["own"] }), "own").cached).toBe(false);
  expect(outcome(await run(declared, { only: ["own"] }), "own")).toMatchObject({
    cached: true,
    result: "pass",
    covers: 1,
  });
  expect(runs()).toBe(1);
  project.put("in/data.txt", "2");
  expect(outcome(await run(declared, { only: ["own"] }), "own").cached).toBe(false);
  project.put("in/more.txt", "");
  expect(outcome(await run(declared, { only: ["own"] }), "own").cached).toBe(false);
  expect(outcome(await run(declared, { only: ["own"], useCache: false }), "own").cached).toBe(false);
  expect(
    outcome(
      await run({ own: { command: "echo y >> runs.log", inputs: ["in/**"] } }, { only: ["own"] }),
      "own",
    ).cached,
  ).toBe(false);
  expect(runs()).toBe(5);
  expect(project.has(".nightshift")).toBe(false);
});

test("without declared inputs a command is never cached", async () => {
  const declared = { own: { command: "true" } };
  await run(declared, { only: ["own"] });
  expect(outcome(await run(declared, { only: ["own"] }), "own").cached).toBe(false);
});

test("a gate that takes too long is ended with everything it started", async () => {
  // Long enough for a busy machine to start the shell that says who it is.
  const declared = { slow: { command: `sh -c 'echo $$ > pid; sleep 600' & wait`, timeoutSeconds: 5 } };
  const report = await run(declared, { only: ["slow"] });
  expect(outcome(report, "slow")).toMatchObject({ result: "fail" });
  expect(outcome(report, "slow").findings[0]?.message).toContain("ended after 5 s");
  const pid = Number(project.read("pid"));
  expect(findIdentity(pid)).toBeUndefined();
});

test("fail-fast ends the others at the first blocker and does not call them passed", async () => {
  const declared = { bad: { command: "exit 3" }, slow: { command: "sleep 600" } };
  const report = await run(declared, { only: ["bad", "slow"], failFast: true });
  expect(outcome(report, "bad").result).toBe("fail");
  expect(outcome(report, "slow")).toMatchObject({
    result: "none",
    reason: "ended, because bad blocks already",
  });
  expect(textReport(report)).toMatch(/^gates: blocked; 1 blocker \(bad\); no check ran: slow \(ended/);
});

test("Ctrl-C ends what runs and is told as such", async () => {
  const stop = new AbortController();
  const running = run(
    { slow: { command: "touch started; sleep 600" } },
    { only: ["slow"], signal: stop.signal },
  );
  await waitFor("the gate to run", () => project.has("started"));
  stop.abort();
  expect(outcome(await running, "slow")).toMatchObject({ result: "none", reason: "interrupted" });
});

test("a baseline leaves known problems out, follows them when lines move, and lets no new one through", async () => {
  project.put("a.ts", "export const a = 1 as any;\n");
  writeBaseline((await run({}, { only: ["any"] })).gates, project.root);
  expect(await run({}, { only: ["any"] })).toMatchObject({
    verdict: "pass",
    gates: [{ known: 1, findings: [] }],
  });
  project.put("a.ts", "// moved\n\nexport const a = 1 as any;\n");
  expect((await run({}, { only: ["any"] })).verdict).toBe("pass");
  project.put("a.ts", "export const a = 1 as any;\nexport const b = 2 as any;\n");
  expect(await run({}, { only: ["any"] })).toMatchObject({
    verdict: "fail",
    gates: [{ known: 1, findings: [{ line: 2 }] }],
  });
  project.put("a.ts", "export const a = 1 as any;\nexport const a = 1 as any;\n");
  expect((await run({}, { only: ["any"] })).verdict).toBe("fail");
});

test("names an unknown gate with the nearest known one, and a gate that checks nothing", () => {
  expect(() => selectGates({}, { root: project.root, only: ["typs"] })).toThrow("did you mean types?");
  expect(() => selectGates({ empty: { severity: "warn" } }, { root: project.root })).toThrow(
    "gates.empty checks nothing",
  );
});

test("the config changes a built-in gate, switches one off, and narrows one to some files", async () => {
  project.put("src/a.ts", "export const a = 1 as any;\n");
  project.put("test/b.ts", "export const b = 1 as any;\n");
  const gates = selectGates(
    { any: { severity: "warn", inputs: ["src/**"] }, todo: { enabled: false } },
    { root: project.root },
  );
  expect(gates.map(({ id }) => id)).toEqual(["types", "uncommitted", "any", "console"]);
  const report = await run({ any: { severity: "warn", inputs: ["src/**"] } }, { only: ["any"] });
  expect(report).toMatchObject({
    verdict: "pass",
    gates: [{ severity: "warn", findings: [{ file: "src/a.ts" }] }],
  });
});
