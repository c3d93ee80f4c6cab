import { type TokenClasses, addTokens } from "../../agents/token-classes.ts";
import type { Ledger, Share } from "./read-ledger.ts";

export const GROUPS = ["day", "agent", "project", "worker"] as const;
export type Group = (typeof GROUPS)[number];

/** What was used under one key. A session that tells no cost is counted in `costUnknown`, not as nothing. */
export type CostRow = {
  key: string;
  sessions: number;
  tokens?: TokenClasses;
  /** sessions that told no tokens by class */
  tokensUnknown: number;
  costUsd?: number;
  costUnknown: number;
};

const two = (value: number): string => String(value).padStart(2, "0");

/** The day of a time, in the machine's own time zone: "2026-11-23". */
export const dayOf = (timeMs: number): string => {
  const at = new Date(timeMs);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};

const keyOf = (share: Share, by: Group): string => (by === "day" ? dayOf(share.atMs) : share[by]);

/** A sum of money without what adding in binary leaves behind: no price of a token has a tenth decimal place. */
const withoutDust = (usd: number): number => Number(usd.toFixed(9));

const sumShares = (key: string, shares: readonly Share[], { last }: Ledger): CostRow => {
  const sessions = new Set(shares.map(({ session }) => session));
  const tokens = shares.flatMap((share) => share.tokens ?? []);
  const costs = shares.flatMap((share) => share.costUsd ?? []);
  const without = (field: "tokens" | "costUsd") =>
    [...sessions].filter((session) => last.get(session)?.[field] === undefined).length;
  return {
    key,
    sessions: sessions.size,
    ...(tokens.length === 0
      ? {}
      : {
          tokens: tokens.reduce<TokenClasses>(addTokens, {
            input: 0,
            cacheRead: 0,
            cacheWrite: 0,
            output: 0,
          }),
        }),
    tokensUnknown: without("tokens"),
    ...(costs.length === 0 ? {} : { costUsd: withoutDust(costs.reduce((sum, cost) => sum + cost, 0)) }),
    costUnknown: without("costUsd"),
  };
};

/** The ledger by day, agent, project or worker, in the order of the keys, and all of it together. */
export const sumLedger = (
  ledger: Ledger,
  { by, sinceMs = 0 }: { by: Group; sinceMs?: number | undefined },
): { rows: CostRow[]; total: CostRow } => {
  const shares = ledger.shares.filter(({ atMs }) => atMs >= sinceMs);
  const keys = [...new Set(shares.map((share) => keyOf(share, by)))].toSorted();
  return {
    rows: keys.map((key) =>
      sumShares(
        key,
        shares.filter((share) => keyOf(share, by) === key),
        ledger,
      ),
    ),
    total: sumShares("total", shares, ledger),
  };
};
