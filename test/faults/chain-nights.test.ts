import { existsSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TokenClasses } from "../../agents/token-classes.ts";
import { followLedger } from "../../worker/ledger/read-ledger.ts";
import { sumLedger } from "../../worker/ledger/sum-ledger.ts";
import { type Account, CEILINGS, type ChainPlan, FATES, type Vendor, playChain } from "./chain-night.ts";
import { Night } from "./night.ts";

const MEMORY = "/dev/shm";
const ownTemporary = process.env["TMPDIR"];

let night: Night;
beforeEach(() => {
  // Thousands of lines are written to the disk one by one otherwise; that they are is tested in worker/ledger.
  if (existsSync(MEMORY)) process.env["TMPDIR"] = MEMORY;
  night = new Night();
  night.sandbox = "none";
});
afterEach(async () => {
  await night.dispose();
  if (ownTemporary === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = ownTemporary;
});

const STEPS = 12;

/**
 * Nights in which every fate meets every boundary, and every kind of ceiling each of them sooner or later. Where the
 * first agent is limited, it takes over again before that step, or up to three later.
 */
const planNight = (seed: number): ChainPlan => {
  const at = Math.floor(seed / FATES.length) % STEPS;
  const fate = FATES[seed % FATES.length] ?? "limit";
  const later = Math.floor(seed / (FATES.length * STEPS));
  return {
    seed,
    steps: STEPS,
    first: { at, fate },
    ...(fate === "limit" ? { handBackAt: at + 1 + later } : {}),
    ceiling: CEILINGS[Math.floor(seed / 7) % CEILINGS.length] ?? "none",
  };
};

const isAsMuch = (said: TokenClasses | undefined, asked: TokenClasses, about: string): void =>
  expect(said ?? { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, about).toEqual(asked);

/** What must be true of every night, whatever went wrong in it. */
const judge = (plan: ChainPlan, account: Account): void => {
  const { state, effects, asked, callsOver } = account;
  const about = `seed ${plan.seed}, ${plan.ceiling}: ${account.met.join(", ")}; ${state.stopReason}`;
  expect(new Set(effects).size, `${about}: ${effects.join(" ")}`).toBe(effects.length);
  expect(callsOver, about).toBe(0);
  const { rows } = sumLedger(followLedger(night.home).read(), { by: "agent" });
  for (const vendor of ["a", "b"] as const) {
    const row = rows.find(({ key }) => key === vendor);
    isAsMuch(row?.tokens, asked[vendor].tokens, about);
    expect(row?.costUsd ?? 0, about).toBeCloseTo(asked[vendor].costUsd, 9);
  }
  expect(state.costUsd).toBeCloseTo(asked.a.costUsd + asked.b.costUsd, 9);
  // A ceiling may end it; nothing else does.
  if (state.status === "stopped") expect(state.stopReason, about).toMatch(/^(?:cost|budget) limit/);
  else {
    expect(state.status, about).toBe("unverified"); // DONE, and there is no gate
    expect(effects.toSorted((a, b) => a - b)).toEqual(Array.from({ length: STEPS }, (_, index) => index + 1));
  }
};

const hasReturned = (vendors: readonly Vendor[]): boolean => /ab+a/.test(vendors.join(""));

const play = async (seeds: number): Promise<{ accounts: Account[] }> => {
  const accounts: Account[] = [];
  for (let seed = 0; seed < seeds; seed++) {
    const plan = planNight(seed);
    const account = await playChain(night, plan);
    judge(plan, account);
    accounts.push(account);
    await night.dispose();
    night = new Night();
    night.sandbox = "none";
  }
  return { accounts };
};

test("5 nights of two agents that stand in for each other: nothing twice, no ceiling passed, the bill is right", async () => {
  const { accounts } = await play(5);
  expect(accounts.some(({ vendors }) => hasReturned(vendors))).toBe(true);
});

test(
  "200 nights over limits, outages and resets at every boundary: no side effect twice, no call after a ceiling, the bill equals what the model was asked for",
  { tags: ["long"], timeout: 600_000 },
  async () => {
    const { accounts } = await play(200);
    const met = new Set(accounts.flatMap((account) => account.met));
    for (const fate of FATES)
      for (let at = 0; at < STEPS; at++) expect(met, `${fate} at ${at}`).toContain(`${fate} at ${at}`);
    const resets = accounts.flatMap((account) => account.resets);
    const missing = Array.from({ length: STEPS }, (_, index) => index + 1).filter(
      (step) => !resets.includes(step),
    );
    expect(missing, `no reset before these steps, of ${resets.length} in all`).toEqual([]);
    expect(resets.length).toBeGreaterThan(50);
    const count = (matches: (account: Account) => boolean) => accounts.filter(matches).length;
    expect(count(({ vendors }) => hasReturned(vendors))).toBeGreaterThan(50);
    expect(count(({ state }) => state.status === "stopped")).toBeGreaterThan(20);
    expect(count(({ state }) => state.status === "unverified")).toBeGreaterThan(50);
  },
);
