import type { DeploymentStatus } from "./deployment.ts";

/** When deployments stop being kept, and how long their bytes stay after that. */
export type RetentionRules = { keep: number; pendingMs: number; graceMs: number };

const HOUR_MS = 3_600_000;

export const RETENTION: RetentionRules = { keep: 10, pendingMs: 24 * HOUR_MS, graceMs: 24 * HOUR_MS };

export type RetentionCandidate = {
  id: string;
  status: DeploymentStatus;
  pinned: boolean;
  createdAt: number;
  activatedAt?: number | undefined;
};

/**
 * Which deployments of one site expire now: a pending one nobody activated in time, and superseded ones
 * beyond the newest `keep`. The active one and pinned ones are always kept and never counted.
 */
export const findExpired = (
  deployments: readonly RetentionCandidate[],
  { keep, pendingMs }: Pick<RetentionRules, "keep" | "pendingMs">,
  now: number,
): string[] => {
  const superseded = deployments
    .filter(({ status, pinned }) => status === "superseded" && !pinned)
    .sort((a, b) => (b.activatedAt ?? b.createdAt) - (a.activatedAt ?? a.createdAt));
  const abandoned = deployments.filter(
    ({ status, pinned, createdAt }) => status === "pending" && !pinned && createdAt + pendingMs <= now,
  );
  return [...superseded.slice(keep), ...abandoned].map(({ id }) => id);
};
