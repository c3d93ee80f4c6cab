import { expect, test } from "vitest";
import { useScratch } from "../../../test/scratch.ts";
import type { LedgerEntry } from "../../../worker/ledger/entry.ts";
import { writeEntry } from "../../../worker/ledger/write-ledger.ts";
import { createReporter } from "../../command/reporter.ts";
import { runProgram } from "../../command/run-program.ts";
import { worker } from "../../programs/worker.ts";

const files = useScratch();
const HOUR_MS = 3_600_000;

const put = (hoursAgo: number, more: Partial<LedgerEntry>): void => {
  const at = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
  const fixed = { v: 1, at, session: "s", worker: "docs", project: "site", agent: "claude" } as const;
  writeEntry(files.root, at, { ...fixed, ...more });
};

const cost = async (...args: string[]): Promise<string> => {
  let out = "";
  let err = "";
  const code = await runProgram(worker, ["cost", ...args], {
    env: { WORKERS_HOME: files.root, COLUMNS: "140" },
    cwd: files.root,
    stdin: process.stdin,
    signal: new AbortController().signal,
    insistSignal: new AbortController().signal,
    createReporter: (isJson) =>
      createReporter({
        isJson,
        env: { COLUMNS: "140" },
        stdout: { write: (text) => (out += text) },
        stderr: { write: (text) => (err += text) },
      }),
  });
  return code === 0 ? out : `${code}: ${err}`;
};

const tokens = { input: 1_200, cacheRead: 2_500_000, cacheWrite: 30, output: 999 };

test("cost says what each agent used, and `unknown` for what was not told, never $0.00", async () => {
  put(2, { session: "a", tokens: { ...tokens, reasoning: 40 }, costUsd: 4.205 });
  put(2, { session: "b", agent: "mine" });
  const lines = (await cost("--by", "agent")).trimEnd().split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["AGENT", "COST", "SESSIONS", "INPUT", "CACHE READ", "CACHE WRITE", "OUTPUT", "REASONING", "SUB-AGENTS"],
    ["claude", "$4.21", "1", "1.2k", "2.5M", "30", "999", "40", "-"],
    ["mine", "unknown", "1", ...Array.from({ length: 6 }, () => "unknown")],
    ["total", "$4.21 + unknown", "2", "1.2k+", "2.5M+", "30+", "999+", "40+", "-"],
  ]);
});

test("cost counts from --since on, gives JSON, and says when there is nothing", async () => {
  expect(await cost()).toBe("no session is in the ledger yet; each one adds its line when it ends\n");
  put(50, { session: "old", costUsd: 7 });
  put(1, { session: "new", project: "api", costUsd: 0.5 });
  const { rows, total } = JSON.parse(await cost("--by", "project", "--since", "12h", "--json")) as {
    rows: { key: string }[];
    total: { costUsd: number };
  };
  expect(rows.map(({ key }) => key)).toEqual(["api"]);
  expect(total.costUsd).toBe(0.5);
  expect(await cost("--since", "soon")).toMatch(/^\d+: .*--since is "soon"; it must be like 90m, 12h or 2d/s);
});
