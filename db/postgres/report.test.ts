import { expect, test } from "vitest";
import { toFailure } from "./failure.ts";
import { createReport } from "./report.ts";

const failed = (code: string): unknown =>
  toFailure(Object.assign(new Error(`what PostgreSQL says of ${code}`), { code }), "db");

const createLab = () => {
  const lines: string[] = [];
  let at = 0;
  const write = (_: object, message: string) => lines.push(message);
  const log = { debug: write, info: write, warn: write, error: write };
  const report = createReport({ log, now: () => at }, "db");
  return { lines, report, pass: (ms: number) => (at += ms) };
};

test("says once that the database is unavailable and once that it is back", () => {
  const { lines, report } = createLab();
  for (const code of ["ECONNREFUSED", "57P03", "ECONNREFUSED"]) report.failed(failed(code));
  report.served();
  report.served();
  expect(lines).toEqual(["the database does not serve", "the database serves again"]);
});

test("says once a minute what a database that serves the rest refuses, for each reason", () => {
  const { lines, report, pass } = createLab();
  for (let change = 0; change < 10; change++) {
    report.failed(failed("25006"));
    report.served();
  }
  expect(lines).toEqual(["the database refuses what it was asked"]);
  report.failed(failed("57014"));
  expect(lines).toHaveLength(2);
  pass(60_000);
  report.failed(failed("25006"));
  expect(lines).toHaveLength(3);
});

test("what is no fault of the database is not said to be one", () => {
  const { lines, report } = createLab();
  report.failed(failed("23505"));
  report.served();
  expect(lines).toEqual([]);
});
