import { withoutUndefined } from "../../core/without-undefined.ts";
import type { Git } from "../../core/git.ts";
import { readVersion } from "../../core/version.ts";
import type { WorkFacts } from "./statement.ts";

const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

/** The part of a receipt that tells of the worker: its sessions with their cost, and what ran them. */
export const describeWorker = async (
  git: Git,
  { sessions, ...worker }: Omit<WorkFacts, "costUsd" | "tokens" | "versions">,
): Promise<WorkFacts> => ({
  ...worker,
  sessions: sessions.map(
    ({ number, startedAt, endedAt, endReason, conversationId, costUsd, reviewCostUsd, tokens }) => ({
      number,
      startedAt,
      ...withoutUndefined({ endedAt, endReason, conversationId, costUsd, reviewCostUsd, tokens }),
    }),
  ),
  costUsd: sum(sessions.flatMap(({ costUsd, reviewCostUsd }) => [costUsd, reviewCostUsd])),
  tokens: sum(sessions.map(({ tokens }) => tokens)),
  versions: {
    nightshift: readVersion(),
    node: process.version,
    git: (await git.find(["--version"]))?.replace(/^git version |\n/g, "") ?? "unknown",
    platform: `${process.platform}-${process.arch}`,
  },
});
