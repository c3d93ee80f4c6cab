import { expect, test } from "vitest";
import type { WorkerState } from "../../../worker/state/worker-state.ts";
import { putWorker } from "../../../test/put-worker.ts";
import { useScratch } from "../../../test/scratch.ts";
import { createReporter } from "../../command/reporter.ts";
import { displayWidth } from "../../command/table.ts";
import { runProgram } from "../../command/run-program.ts";
import { worker } from "../../programs/worker.ts";

const files = useScratch();

const put = (state: Partial<WorkerState> & { name: string }): void => putWorker(files.root, state);

const list = async (columns: number): Promise<string[]> => {
  let out = "";
  let err = "";
  const io = { write: (text: string) => (out += text) };
  const code = await runProgram(worker, ["list"], {
    env: { WORKERS_HOME: files.root, COLUMNS: String(columns) },
    cwd: files.root,
    stdin: process.stdin,
    signal: new AbortController().signal,
    insistSignal: new AbortController().signal,
    createReporter: (isJson) =>
      createReporter({
        isJson,
        env: { COLUMNS: String(columns) },
        stdout: io,
        stderr: { write: (text) => (err += text) },
      }),
  });
  expect([code, err.replace(/go on with.*\n/, "")]).toEqual([0, ""]);
  return out.trimEnd().split("\n");
};

test("list fits the terminal with a line for each worker, and says why one is not at work", async () => {
  put({
    name: "docs",
    status: "complete",
    context: { tokens: 90_000, windowTokens: 200_000, percent: 45, source: "live" },
    lastGate: { verdict: "healthy", exitCode: 0, at: new Date().toISOString() },
  });
  put({
    name: "api-tests",
    status: "failed",
    stopReason: "the agent ended with exit code 1: credit balance is too low to go on",
    context: { tokens: 151_600, source: "estimate" },
  });
  put({ name: "flaky", status: "running" }); // by a supervisor that is gone
  for (const columns of [120, 80, 50]) {
    const lines = await list(columns);
    expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([]);
    expect(lines).toHaveLength(6);
    const at = lines[0]?.indexOf("STATUS") ?? -1;
    expect(
      lines.filter((line) => !line.startsWith("  why")).map((line) => line.slice(at).split(" ")[0]),
    ).toEqual(["STATUS", "failed", "complete", "crashed"]);
    expect(lines[2]).toMatch(/^ {2}why: the agent ended with exit code 1/);
    expect(lines[5]).toBe("  why: its supervisor is gone");
  }
  const [head, failed, , complete] = await list(120);
  expect(head).toMatch(/CONTEXT +COST +GATE +UPDATED +DIRECTORY$/);
  expect(failed).toContain("152k tokens");
  expect(complete).toMatch(/45 % .*healthy +4 min ago +\/home\/somebody\/projects\/docs$/);
});
