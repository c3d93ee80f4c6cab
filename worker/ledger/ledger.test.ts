import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bunBinary } from "../../test/bun.ts";
import type { LedgerEntry } from "./entry.ts";
import { ledgerFile } from "./ledger-files.ts";
import { followLedger } from "./read-ledger.ts";
import { dayOf, sumLedger } from "./sum-ledger.ts";
import { writeEntry } from "./write-ledger.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-ledger-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const BEGAN = "2026-11-23T20:00:00.000Z";
const WRITER = join(import.meta.dirname, "fixtures/write-entries.ts");

const entry = (more: Partial<LedgerEntry>): LedgerEntry => ({
  v: 1,
  at: BEGAN,
  session: "s1",
  worker: "docs",
  project: "site",
  agent: "claude",
  ...more,
});
const write = (more: Partial<LedgerEntry>) => writeEntry(home, BEGAN, entry(more));
const total = (by: "day" | "agent" = "agent") => sumLedger(followLedger(home).read(), { by });
const tokens = (input: number) => ({ input, cacheRead: 2 * input, cacheWrite: 1, output: 3 });

test("a session's last line counts, whatever was written before it or twice", () => {
  write({ tokens: tokens(10), costUsd: 1 });
  write({ tokens: tokens(10), costUsd: 1 });
  write({ tokens: { ...tokens(30), reasoning: 2, subAgents: 5 }, costUsd: 2.5 });
  write({ session: "s2", agent: "codex", tokens: tokens(7), costUsd: 0.5 });
  const { rows, total: all } = total();
  expect(rows).toEqual([
    {
      key: "claude",
      sessions: 1,
      tokens: { ...tokens(30), reasoning: 2, subAgents: 5 },
      tokensUnknown: 0,
      costUsd: 2.5,
      costUnknown: 0,
    },
    { key: "codex", sessions: 1, tokens: tokens(7), tokensUnknown: 0, costUsd: 0.5, costUnknown: 0 },
  ]);
  expect(all).toMatchObject({ sessions: 2, costUsd: 3, tokens: { input: 37 } });
});

test("a sum of money has the decimals of what was added", () => {
  for (const [session, costUsd] of [
    ["s1", 0.1],
    ["s2", 0.2],
    ["s3", 0.0000003],
  ] as const)
    write({ session, costUsd });
  expect(total().total.costUsd).toBe(0.3000003);
});

test("what an agent does not tell is unknown, and what it told before is kept", () => {
  write({ session: "silent", agent: "mine" });
  write({ session: "unpriced", agent: "other", tokens: tokens(5) });
  write({ session: "later", agent: "third", tokens: tokens(5), costUsd: 1 });
  write({ session: "later", agent: "third", tokens: tokens(6) });
  write({ session: "later", agent: "third", tokens: tokens(7), costUsd: 4 });
  const [mine, other, third] = total().rows;
  expect(mine).toEqual({ key: "mine", sessions: 1, tokensUnknown: 1, costUnknown: 1 });
  expect(other).toMatchObject({ tokens: tokens(5), costUnknown: 1, tokensUnknown: 0 });
  expect(other).not.toHaveProperty("costUsd");
  expect(third).toMatchObject({ tokens: tokens(7), costUsd: 4, costUnknown: 0 });
});

test("each day has what was used on it, also of a session that went on past midnight", () => {
  const before = new Date(2026, 10, 23, 23, 50);
  const after = new Date(2026, 10, 24, 0, 10);
  write({ at: before.toISOString(), tokens: tokens(10), costUsd: 1 });
  write({ at: after.toISOString(), tokens: tokens(25), costUsd: 3 });
  expect(total("day").rows).toMatchObject([
    { key: "2026-11-23", costUsd: 1, tokens: { input: 10 } },
    { key: "2026-11-24", costUsd: 2, tokens: { input: 15 } },
  ]);
  expect(
    sumLedger(followLedger(home).read(), { by: "day", sinceMs: after.getTime() - 1 }).total,
  ).toMatchObject({ costUsd: 2, tokens: { input: 15 } });
});

test("a session of a week is found in the file of its first day, and older files are not read", () => {
  const weekLater = Date.parse(BEGAN) + 7 * 24 * 3_600_000;
  write({ at: new Date(weekLater).toISOString(), costUsd: 3 });
  writeEntry(home, "2026-09-01T00:00:00.000Z", entry({ session: "old", costUsd: 5 }));
  expect([
    ...followLedger(home, weekLater - 1)
      .read()
      .last.keys(),
  ]).toEqual(["s1"]);
  expect([...followLedger(home).read().last.keys()]).toEqual(["old", "s1"]);
});

test("half a line at the end costs that line alone, and the next entry is not joined to it", () => {
  write({ costUsd: 1 });
  appendFileSync(ledgerFile(home, BEGAN), '{"v":1,"at":"2026-');
  write({ session: "s2", costUsd: 2 });
  const ledger = followLedger(home).read();
  expect(ledger.damaged).toBe(1);
  expect(sumLedger(ledger, { by: "agent" }).total).toMatchObject({ sessions: 2, costUsd: 3 });
});

test("a follower takes in what was written since it last looked, and no line twice", () => {
  const follower = followLedger(home);
  expect(follower.read().shares).toEqual([]);
  write({ costUsd: 1 });
  follower.read();
  write({ costUsd: 4 });
  write({ session: "s2", costUsd: 1 });
  follower.read();
  expect(sumLedger(follower.read(), { by: "agent" }).total).toMatchObject({ costUsd: 5, sessions: 2 });
});

test("the sum over days, agents, projects and workers is the sum over sessions, in whatever order they were at work", () => {
  const call = fc.record({
    session: fc.integer({ min: 0, max: 5 }),
    hours: fc.integer({ min: 0, max: 60 }),
    input: fc.integer({ min: 0, max: 1_000 }),
    cents: fc.integer({ min: 0, max: 500 }),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
      rmSync(home, { recursive: true, force: true });
      const used = new Map<number, { input: number; cents: number }>();
      for (const { session, hours, input, cents } of calls) {
        const before = used.get(session) ?? { input: 0, cents: 0 };
        const now = { input: before.input + input, cents: before.cents + cents };
        used.set(session, now);
        write({
          session: String(session),
          agent: `a${session % 2}`,
          at: new Date(Date.parse(BEGAN) + hours * 3_600_000).toISOString(),
          tokens: { input: now.input, cacheRead: 0, cacheWrite: 0, output: 0 },
          costUsd: now.cents / 100,
        });
      }
      const expected = [...used.values()].reduce((sum, { cents }) => sum + cents, 0) / 100;
      for (const by of ["day", "agent", "project", "worker"] as const) {
        const { rows, total: all } = sumLedger(followLedger(home).read(), { by });
        expect(all.costUsd ?? 0).toBeCloseTo(expected, 6);
        expect(rows.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)).toBeCloseTo(expected, 6);
      }
    }),
    { numRuns: 25 },
  );
});

const startWriter = (session: string, count: number) => {
  const child = spawn(bunBinary(), [WRITER, home, session, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { child, said: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
};
const lastOf = async (said: AsyncIterator<string>): Promise<number> => {
  let last = 0;
  for (let next = await said.next(); !next.done; next = await said.next()) last = Number(next.value);
  return last;
};

test("two processes write into one ledger at the same time, and nothing of either is lost or mixed", async () => {
  const calls = 150;
  const writers = ["one", "two"].map((name) => startWriter(name, calls));
  expect(await Promise.all(writers.map(({ said }) => lastOf(said)))).toEqual([calls, calls]);
  const lines = readFileSync(ledgerFile(home, BEGAN), "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(2 * calls);
  expect(total().total).toMatchObject({ sessions: 2, costUsd: calls, costUnknown: 0 });
});

test("a writer that is killed loses nothing it had written, and keeps nobody else from writing", async () => {
  for (let round = 1; round <= 5; round++) {
    const { child, said } = startWriter(`killed${round}`, 1_000_000);
    let seen = 0;
    while (seen < 5 * round) seen = Number((await said.next()).value);
    child.kill("SIGKILL");
    seen = Math.max(seen, await lastOf(said));
    write({ session: `after${round}`, costUsd: 0 });
    const ledger = followLedger(home).read();
    expect(ledger.damaged).toBe(0);
    const kept = ledger.last.get(`killed${round}`)?.costUsd ?? 0;
    expect([seen, seen + 1]).toContain(kept / 0.5); // the last one may not have been said any more
    expect(ledger.last.has(`after${round}`)).toBe(true);
  }
});

test("a day is that of this machine's time zone", () => {
  expect(dayOf(new Date(2026, 0, 5, 0, 1).getTime())).toBe("2026-01-05");
  expect(dayOf(new Date(2026, 11, 31, 23, 59).getTime())).toBe("2026-12-31");
});
