import { expect, test } from "vitest";
import type { GateOutcome, GateReport } from "../gate.ts";
import { fromRepository, githubReport, junitReport, sarifReport } from "./machine.ts";
import { REPORT_BUDGET, textReport } from "./text.ts";

const outcome = (fields: Partial<GateOutcome>): GateOutcome => ({
  id: "x",
  severity: "block",
  result: "pass",
  durationMs: 12,
  cached: false,
  findings: [],
  ...fields,
});
const report: GateReport = {
  verdict: "fail",
  gates: [
    outcome({
      id: "types",
      result: "fail",
      findings: [{ file: "src/a b.ts", line: 3, message: `TS2322: <T> is "bad" & 100% wrong\nsecond` }],
    }),
    outcome({
      id: "todo",
      severity: "warn",
      result: "fail",
      findings: [{ file: "b.ts", line: 1, message: "TODO: x" }],
    }),
    outcome({ id: "lint", result: "none", couldNotRun: true, reason: "no linter" }),
    outcome({ id: "any", result: "none", reason: "no sources" }),
    outcome({ id: "ok", cached: true, covers: 4 }),
  ],
};

test("the text leads with what blocks and names what never ran", () => {
  const lines = textReport(report).split("\n");
  expect(lines[0]).toBe(
    "gates: blocked; 2 blockers (types, lint); 1 warning (todo); 1 passed (ok, cached); no check ran: any (no sources)",
  );
  expect(lines[1]).toContain("error types: src/a b.ts:3:");
  expect(lines.findIndex((line) => line.startsWith("error"))).toBeLessThan(
    lines.findIndex((line) => line.startsWith("warning")),
  );
});

test("says loudly that no check ran", () => {
  expect(textReport({ verdict: "none", gates: [outcome({ result: "none", reason: "nothing" })] })).toContain(
    "NO CHECK RAN",
  );
});

test("places are told from the top of the repository where the project is a folder of it", () => {
  const found = {
    verdict: "fail" as const,
    gates: [
      outcome({
        result: "fail",
        findings: [
          { file: "a.ts", line: 1, message: "in" },
          { file: "../two/b.ts", line: 0, message: "beside" },
          { file: "", line: 0, message: "nowhere" },
        ],
      }),
    ],
  };
  expect(githubReport(fromRepository(found, "packages/one")).split("\n")).toEqual([
    "::error file=packages/one/a.ts,line=1,title=gate x::in",
    "::error file=packages/two/b.ts,title=gate x::beside",
    "::error title=gate x::nowhere",
    "gates: blocked; 1 blocker (x)",
  ]);
  expect(fromRepository(found, "")).toEqual(found);
});

test("a problem on one endless line is told with its beginning", () => {
  const endless = { file: "a.ts", line: 1, message: `broken ${"x".repeat(50_000)}` };
  const text = textReport({ verdict: "fail", gates: [outcome({ result: "fail", findings: [endless] })] });
  expect(text).toMatch(/a\.ts:1: broken x+ \[…\]$/);
});

test("keeps the budget, every failing gate getting its turn, and counts what it left out", () => {
  const many = (id: string): GateOutcome =>
    outcome({
      id,
      result: "fail",
      findings: Array.from({ length: 900 }, (_, i) => ({
        file: "a.ts",
        line: i + 1,
        message: `${id} problem ${i}`,
      })),
    });
  const text = textReport({
    verdict: "fail",
    gates: [
      many("first"),
      many("second"),
      outcome({
        id: "third",
        result: "fail",
        findings: [{ file: "", line: 0, message: "exit 1" }],
        output: "x\n".repeat(50_000) + "LAST LINE",
      }),
    ],
  });
  expect(text.length).toBeLessThanOrEqual(REPORT_BUDGET);
  expect(text).toContain("first problem 0");
  expect(text).toContain("second problem 0");
  expect(text).toContain("LAST LINE");
  expect(text).toMatch(/and \d+ more/);
});

test("quotes no output where a tool printed none, and JUnit counts every skip it writes", () => {
  const silent = outcome({
    result: "fail",
    output: " \n",
    findings: [{ file: "", line: 0, message: "exited with 1" }],
  });
  const missing = outcome({ id: "y", severity: "warn", result: "none", couldNotRun: true, reason: "gone" });
  const both: GateReport = { verdict: "fail", gates: [silent, missing] };
  expect(textReport(both)).not.toContain("output of x");
  expect(textReport({ verdict: "none", gates: [] })).toBe("gates: NO CHECK RAN");
  expect(junitReport(both)).toContain('skipped="1"');
});

test("JUnit counts failures, errors and skips apart and escapes what it quotes", () => {
  const xml = junitReport(report);
  expect(xml).toContain(`tests="5" failures="1" errors="1" skipped="1"`);
  expect(xml).toContain("&lt;T&gt; is &quot;bad&quot; &amp; 100% wrong");
  expect(junitReport({ verdict: "fail", gates: [outcome({ id: "a\u0000b" })] })).not.toContain("\u0000");
});

test("SARIF holds every finding with level and place, and says what did not run", () => {
  const sarif = JSON.parse(sarifReport(report)) as {
    version: string;
    runs: { results: unknown[]; invocations: unknown[] }[];
  };
  expect(sarif.version).toBe("2.1.0");
  expect(sarif.runs[0]?.results).toMatchObject([
    {
      ruleId: "types",
      level: "error",
      locations: [
        { physicalLocation: { artifactLocation: { uri: "src/a%20b.ts" }, region: { startLine: 3 } } },
      ],
    },
    { ruleId: "todo", level: "warning" },
  ]);
  expect(sarif.runs[0]?.invocations).toMatchObject([{ executionSuccessful: false }]);
});

test("GitHub annotations stay one command a line whatever the message holds", () => {
  const lines = githubReport(report).split("\n");
  expect(lines[0]).toBe(
    `::error file=src/a b.ts,line=3,title=gate types::TS2322: <T> is "bad" & 100%25 wrong%0Asecond`,
  );
  expect(lines[1]).toBe("::warning file=b.ts,line=1,title=gate todo::TODO: x");
  expect(lines[2]).toBe("::error title=gate lint::no check ran: no linter");
  expect(lines[3]).toBe("::notice title=gate any::no check ran: no sources");
});

test("the output of a failed command is told: folded on GitHub, as the failure's text in JUnit and SARIF", () => {
  const failing: GateReport = {
    verdict: "fail",
    gates: [
      outcome({
        id: "test",
        result: "fail",
        findings: [{ file: "", line: 0, message: "`npm test` exited with 1" }],
        output: "\u001b[31m1 failed\u001b[0m\r\n::error::forged\nthe last line\n",
      }),
    ],
  };
  const lines = githubReport(failing).split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "::error title=gate test::`npm test` exited with 1",
    "::group::output of gate test",
  ]);
  const token = /^::stop-commands::(\w{64})$/.exec(lines[2] ?? "")?.[1];
  expect(lines.slice(3)).toEqual([
    "1 failed",
    "::error::forged",
    "the last line",
    `::${token}::`,
    "::endgroup::",
    "gates: blocked; 1 blocker (test)",
  ]);
  expect(junitReport(failing)).toContain(
    "exited with 1\n\n1 failed\n::error::forged\nthe last line</failure>",
  );
  expect(sarifReport(failing)).toContain("exited with 1\\n\\n1 failed\\n::error::forged\\nthe last line");
});
