import { expect, test } from "vitest";
import { makeStatement } from "../../../verdict/receipt/statement.ts";
import type { Verdict } from "../../../verdict/verdict.ts";
import { receiptLines } from "./show-receipt.ts";

const VERDICT: Verdict = {
  word: "complete",
  reasons: [],
  remarks: [],
  where: "clean",
  sandbox: "none",
  at: "2026-11-23T12:00:00.000Z",
  durationMs: 1,
  gates: [],
  tests: {
    runners: ["pytest"],
    base: { passed: 6, failed: 1, skipped: 0 },
    head: { passed: 8, failed: 0, skipped: 1 },
    broken: [],
    provingNothing: [],
  },
  sealed: [],
  changes: [],
};

/** The lines of a receipt of sessions that cost so much. */
const linesOf = (costs: readonly (number | undefined)[]): string[] => {
  const sessions = costs.map((costUsd, at) => ({
    number: at + 1,
    startedAt: VERDICT.at,
    ...(costUsd === undefined ? {} : { costUsd }),
  }));
  const facts = { worker: "w", task: "t", agent: "a", sessions, tokens: 0, sandbox: "none", versions: {} };
  const costUsd = costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  const settings = {
    where: "clean",
    prepare: undefined,
    minutes: 30,
    sealed: [],
    newTestsMustFail: false,
    mayChange: [],
  } as const;
  const statement = makeStatement({
    verdict: VERDICT,
    seal: { declared: {}, settings },
    facts: { ...facts, costUsd },
  });
  return receiptLines({ statement, keyId: "1", faults: [] });
};

test("says the tests of both sides", () => {
  expect(linesOf([1])).toContain(
    "  tests (pytest): 8 passed, 0 failed, 1 skipped; on the base 6 passed, 1 failed, 0 skipped",
  );
});

test.each([
  [[1, 0.5], "2 sessions, $1.50, sandbox"],
  [[0], "1 session, $0.00, sandbox"],
  [[undefined], "1 session, cost unknown, sandbox"],
  [[1, undefined], "2 sessions, $1.00 + cost unknown, sandbox"],
])("of sessions that cost %j it says %s", (costs, said) => {
  expect(linesOf(costs).at(-1)).toContain(said);
});
