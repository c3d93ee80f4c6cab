import type { Budget } from "../../core/config/sections/budget.ts";
import type { Ledger, Share } from "./read-ledger.ts";

/** A ceiling over what was spent in the period that `nowMs` lies in, in USD; times in milliseconds since the epoch. */
export type Ceiling = {
  period: "night" | "day";
  limitUsd: number;
  spentUsd: number;
  sinceMs: number;
  untilMs: number;
};

const NOON = 12;

/** By this machine's clock: a day begins at midnight, a night at noon. Days of 23 and 25 hours have their own length. */
const periodOf = (period: Ceiling["period"], nowMs: number): { sinceMs: number; untilMs: number } => {
  const now = new Date(nowMs);
  const hour = period === "night" ? NOON : 0;
  const day = now.getDate() - (now.getHours() < hour ? 1 : 0);
  const at = (date: number) => new Date(now.getFullYear(), now.getMonth(), date, hour).getTime();
  return { sinceMs: at(day), untilMs: at(day + 1) };
};

const spentSince = (shares: readonly Share[], sinceMs: number, agent: string | undefined): number =>
  shares.reduce(
    (sum, share) =>
      share.atMs >= sinceMs && (agent === undefined || share.agent === agent)
        ? sum + (share.costUsd ?? 0)
        : sum,
    0,
  );

/** The ceilings of a budget and what the ledger says was spent under each; with `agent`, with that agent alone. */
export const ceilingsOf = (
  { perNightUsd, perDayUsd }: Budget,
  { shares }: Pick<Ledger, "shares">,
  { nowMs, agent }: { nowMs: number; agent?: string | undefined },
): Ceiling[] =>
  (
    [
      ["night", perNightUsd],
      ["day", perDayUsd],
    ] as const
  ).flatMap(([period, limitUsd]) => {
    if (limitUsd === undefined) return [];
    const span = periodOf(period, nowMs);
    return [{ period, limitUsd, ...span, spentUsd: spentSince(shares, span.sinceMs, agent) }];
  });

export const leftOf = ({ limitUsd, spentUsd }: Ceiling): number => limitUsd - spentUsd;
