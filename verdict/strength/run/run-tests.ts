import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { runChild } from "../../../core/child-process.ts";
import type { Confinement } from "../../../core/confinement.ts";
import { readFileIfThere } from "../../../core/read-file.ts";
import type { TestResult } from "./read-report.ts";
import { NODE_REPORTER, type TestRunner } from "./test-runners.ts";

/** Where tests run, and what they are given. */
export type TestPlace = {
  env: Readonly<Record<string, string | undefined>>;
  /** on the open machine without one */
  confinement?: Confinement | undefined;
  /** a folder that they may write besides, for their report (default: the system's own for such) */
  scratch?: string;
};
export type RunPorts = TestPlace & { signal: AbortSignal };
export type TestRun = {
  results: TestResult[];
  problem: string | undefined;
  /** tests failed, and the run ended as if none had */
  isMasked?: boolean;
};

/** Runs a project's tests in one folder and reads what their runner reports. Its report is written outside of it. */
export const runTests = async (
  { env, confinement, scratch = tmpdir(), signal }: RunPorts,
  { room, runner, timeoutMs }: { room: string; runner: TestRunner; timeoutMs: number },
): Promise<TestRun> => {
  const folder = mkdtempSync(join(scratch, "nightshift-tests-"));
  try {
    const reporter = join(folder, "reporter.mjs");
    const report = join(folder, "report");
    writeFileSync(reporter, NODE_REPORTER);
    const ran = await runChild({
      command: "sh",
      args: ["-c", runner.command(report, reporter)],
      cwd: room,
      env: { ...env, PATH: `${join(room, "node_modules/.bin")}${delimiter}${env["PATH"] ?? ""}`, CI: "1" },
      timeoutMs,
      signal,
      confinement,
      maxOutputBytes: 64 * 1024 * 1024,
    });
    const results = runner.read(readReport(report), ran.stdout, room);
    const isUnread = results.length === 0 && !ran.isOk;
    const isCut = ran.isTimedOut || ran.isAborted || ran.isMissing;
    return {
      results,
      problem: isCut || isUnread ? `${runner.id}: ${ran.problem ?? "it reported nothing"}` : undefined,
      isMasked: ran.isOk && results.some(({ outcome }) => outcome === "failed"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Tests could have put anything in its place: what is no file is not opened. */
const readReport = (path: string): string =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() ? (readFileIfThere(path) ?? "") : "";
