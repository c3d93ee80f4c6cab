import type { Budget } from "../../core/config/sections/budget.ts";
import { type Ceiling, ceilingsOf, leftOf } from "./budget.ts";
import { type Ledger, followLedger } from "./read-ledger.ts";

/** A ceiling that is reached: whose, and in words. */
export type Spent = Ceiling & { agent?: string; words: string };

type Ports = { home: string; now: () => number };
type Budgets = {
  budget?: Budget | undefined;
  agents: Readonly<Record<string, { budget?: Budget }>>;
};

const KNOWN_FOR_MS = 1_000;
/** Nights and days go back that far. */
const LOOKED_BACK_MS = 2 * 24 * 3_600_000;

const wordsOf = ({ period, spentUsd, limitUsd }: Ceiling, agent: string | undefined): string =>
  `budget limit of this ${period}${agent === undefined ? "" : ` for ${agent}`}: ${spentUsd.toFixed(2)} of ${limitUsd.toFixed(2)} USD used by all workers`;

/** Holds what all workers of a home have spent against the ceilings of the config. */
export const createBudgetKeeper = ({ home, now }: Ports, { budget, agents }: Budgets) => {
  const isSet = budget !== undefined || Object.values(agents).some((agent) => agent.budget !== undefined);
  const follower = isSet ? followLedger(home, now() - LOOKED_BACK_MS) : undefined;
  let known: { ledger: Ledger; readMs: number; ownUsd: number | undefined } | undefined;

  const read = (ownUsd?: number): Ledger => {
    const isFresh =
      known &&
      known.ownUsd === ownUsd &&
      Math.abs(now() - known.readMs) < KNOWN_FOR_MS &&
      ownUsd !== undefined;
    if (!known || !isFresh)
      known = {
        ledger: follower?.read() ?? { shares: [], last: new Map(), damaged: 0 },
        readMs: now(),
        ownUsd,
      };
    return known.ledger;
  };

  const list = (agent: string, ledger: Ledger): Spent[] => {
    const nowMs = now();
    const own = agents[agent]?.budget;
    const all = budget ? ceilingsOf(budget, ledger, { nowMs }) : [];
    const its = own ? ceilingsOf(own, ledger, { nowMs, agent }) : [];
    return [
      ...all.map((ceiling) => ({ ...ceiling, words: wordsOf(ceiling, undefined) })),
      ...its.map((ceiling) => ({ ...ceiling, agent, words: wordsOf(ceiling, agent) })),
    ];
  };

  return {
    /** the ceiling that keeps this agent from beginning a session, the one over everything first */
    findSpent: (agent: string): Spent | undefined =>
      follower ? list(agent, read()).find((ceiling) => leftOf(ceiling) <= 0) : undefined,
    /** USD that a session of this agent may still spend, when it has spent `ownUsd`; Infinity without a budget */
    leftFor:
      (agent: string, session: string) =>
      (ownUsd: number): number => {
        if (!follower) return Infinity;
        const ledger = read(ownUsd);
        const unwritten = ownUsd - (ledger.last.get(session)?.costUsd ?? 0);
        return Math.min(...list(agent, ledger).map(leftOf), Infinity) - Math.max(0, unwritten);
      },
    isSet: (agent: string): boolean => budget !== undefined || agents[agent]?.budget !== undefined,
  };
};
