import { expect, test } from "vitest";
import type { Report, WorkerReport } from "../../../worker/report/report.ts";
import { clockText, parseSpan, spanText } from "../../../core/people-time.ts";
import { displayWidth } from "../../command/table.ts";
import { createStyle } from "../../command/style.ts";
import { logLines } from "./log-lines.ts";
import { reportHtml } from "./report-html.ts";
import { reportMarkdown } from "./report-markdown.ts";
import { reportLines } from "./report-text.ts";

const AT = "2026-11-22T08:00:00.000Z";

const worker = (fields: Partial<WorkerReport> = {}): WorkerReport => ({
  name: "docs",
  dir: "/home/me/docs",
  agent: "claude",
  outcome: "complete",
  why: "DONE, and the gates are healthy",
  needsYou: false,
  startedAt: AT,
  durationMs: 22_320_000,
  sessions: 3,
  sessionsByAgent: { claude: 3 },
  costUsd: 2.1,
  costUnknown: 0,
  tokens: 9,
  commits: ["abc1234 Fix the links"],
  diffstat: { files: 6, insertions: 120, deletions: 13 },
  note: "Everything is linked.\nDONE: links",
  gates: "healthy",
  rescued: [],
  criticStops: 1,
  calls: [],
  remarks: [],
  next: "worker diff docs",
  ...fields,
});

const reportOf = (...workers: WorkerReport[]): Report => ({
  at: AT,
  totals: {
    workers: workers.length,
    byOutcome: { complete: workers.length },
    sessions: 3,
    costUsd: 2.1,
    costUnknown: workers.filter(({ costUnknown }) => costUnknown > 0).length,
    tokens: 9,
    commits: 1,
    diffstat: { files: 6, insertions: 120, deletions: 13 },
  },
  workers,
});

const PLAIN = createStyle(false);

test("five workers fit on one screen, at 80 and at 50 columns", () => {
  const names = ["docs", "api", "a-worker-with-a-long-name", "ui", "cli"];
  const report = reportOf(...names.map((name) => worker({ name, next: `worker diff ${name}` })));
  for (const columns of [80, 50, 120]) {
    const lines = reportLines(report, { style: PLAIN, columns });
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
    if (columns >= 80) expect(lines.length).toBeLessThanOrEqual(40);
  }
  expect(reportLines(reportOf(worker()), { style: PLAIN, columns: 80 })).toEqual([
    "1 worker: 1 complete · 3 sessions · $2.10 · 1 commit (+120 -13 in 6 files)",
    "",
    "docs  complete: DONE, and the gates are healthy",
    "  6 h 12 min · 3 sessions · $2.10 · 1 commit (+120 -13 in 6 files)",
    "  “Everything is linked.”",
    "  gates healthy · 1 critic stop",
    "  next: worker diff docs",
  ]);
});

test("who needs a person is named before everything else", () => {
  const failed = worker({ name: "api", outcome: "failed", needsYou: true });
  const [, second] = reportLines(reportOf(failed, worker()), { style: PLAIN, columns: 80 });
  expect(second).toBe("Needs you first: api");
});

test("what an agent wrote cannot become markup of the report", () => {
  const hostile = worker({
    why: "[click](javascript:alert(1)) <img src=x onerror=alert(1)>",
    note: "```\n# A heading of its own\n````\n<script>alert(1)</script>",
    commits: ["abc <script>alert(2)</script>"],
  });
  const html = reportHtml(reportOf(hostile));
  expect(html).not.toMatch(/<script|<img/);
  const markdown = reportMarkdown(reportOf(hostile));
  expect(markdown).toContain("`````text");
  expect(markdown).toContain(String.raw`\[click\]`);
  expect(markdown).not.toContain("abc <script>");
});

test("times are said as people say them, in the terminal's own zone", () => {
  expect([spanText(48_000), spanText(600_000), spanText(22_320_000), spanText(7_200_000)]).toEqual([
    "48 s",
    "10 min",
    "6 h 12 min",
    "2 h",
  ]);
  const local = new Date(2026, 10, 22, 9, 5).toISOString();
  expect(clockText(local, Date.parse(local))).toBe("09:05");
  expect(clockText(local, Date.parse(local) + 86_400_000)).toBe("22 Nov 09:05");
  expect([parseSpan("90m"), parseSpan("12h"), parseSpan("2d"), parseSpan("12"), parseSpan("1w")]).toEqual([
    5_400_000,
    43_200_000,
    172_800_000,
    undefined,
    undefined,
  ]);
});

test("a long line of a log hangs under its first word and fits the terminal", () => {
  const nowMs = new Date(2026, 10, 22, 9, 6).getTime();
  const stamp = new Date(2026, 10, 22, 9, 5).toISOString();
  const lines = logLines(`${stamp} agent: ${"word ".repeat(20).trim()}`, {
    style: PLAIN,
    columns: 40,
    nowMs,
  });
  expect(lines[0]).toBe("09:05  agent: word word word word word");
  expect(lines[1]).toBe("       word word word word word word");
  expect(logLines("    at somewhere (x.ts:1)", { style: PLAIN, columns: 40, nowMs })).toEqual([
    "    at somewhere (x.ts:1)",
  ]);
});
