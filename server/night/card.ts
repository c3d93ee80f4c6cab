import type { FleetReport } from "../fleet/schemas.ts";

/** A session in the list: what it cost and why it ended. Times in ISO form, by the host's clock. */
export type SessionCard = {
  number: number;
  startedAt: string;
  endedAt?: string;
  endReason?: string;
  costUsd?: number;
  tokens?: number;
  /** it is over, and its agent told no cost */
  isUnpriced?: true;
  commits: number;
};

/** Tokens in the context at a time: session, milliseconds since the epoch, tokens. */
export type CurvePoint = [session: number, atMs: number, tokens: number];

/** What the list shows of a run: folded from what its supervisor tells, and small whatever that is. */
export type Card = {
  id: string;
  host: string;
  worker: string;
  project: string;
  report: FleetReport;
  startedAt: string;
  windowTokens?: number;
  contextLimitPercent?: number;
  budgetUsd?: number;
  waitingUntil?: string;
  waitingFor?: string;
  sessions: SessionCard[];
  curve: CurvePoint[];
  commits: number;
  files: number;
  insertions: number;
  deletions: number;
  criticStops: number;
  handoffs: number;
  gate?: { when: string; verdict: string; session: number; firstError?: string };
  /** `receipt` is a path on the host */
  verdict?: { verdict: string; reasons: string[]; acceptedBy?: string; receipt?: string };
  rescued: string[];
};

const ACTIVE = new Set(["starting", "running", "waiting", "stopping"]);
export const isActive = (status: string): boolean => ACTIVE.has(status);

/** How many sessions told no cost. */
export const countUnpriced = ({ sessions }: Pick<Card, "sessions">): number =>
  sessions.filter(({ isUnpriced }) => isUnpriced).length;

/** A supervisor says something at least every 30 s; one that missed four times is not heard from. */
const SILENT_AFTER_MS = 120_000;

export const isSilent = (status: string, reportedAt: number, now: number): boolean =>
  isActive(status) && now - reportedAt > SILENT_AFTER_MS;

const UNWANTED: Readonly<Record<string, string>> = {
  failed: "failed",
  stalled: "stalled: no commit and no change for several sessions",
  unverified: "finished, but nothing verified it",
  "max-reached": "used all its sessions",
};

/** Why a run needs a person, in words; undefined when it does not. */
export const needOf = (
  { report, waitingUntil, verdict }: Card,
  { reportedAt, now }: { reportedAt: number; now: number },
): string | undefined => {
  const { status, reason } = report;
  if (isSilent(status, reportedAt, now)) return "not heard from: its host is off, cut off, or it was killed";
  if (status === "waiting") return waitingUntil === undefined ? undefined : "waits";
  if (verdict?.verdict === "refused" && !isActive(status)) return "its work was refused";
  if (status === "stopped" && /\blimit\b/.test(reason ?? "")) return "used up what it may spend";
  return UNWANTED[status];
};

/** The same without the clock, for the index: whether a run that has ended needs a person. */
export const endedBadly = (card: Card): boolean =>
  !isActive(card.report.status) && needOf(card, { reportedAt: 0, now: 0 }) !== undefined;
