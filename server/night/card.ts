import { type Static, Type } from "../../core/schema.ts";
import { FleetReport } from "../fleet/schemas.ts";

/** A session in the list: what it cost and why it ended. Times in ISO form, by the host's clock. */
export const SessionCard = Type.Object({
  number: Type.Integer(),
  startedAt: Type.String(),
  endedAt: Type.Optional(Type.String()),
  endReason: Type.Optional(Type.String()),
  costUsd: Type.Optional(Type.Number()),
  tokens: Type.Optional(Type.Number()),
  isUnpriced: Type.Optional(Type.Literal(true, { description: "It is over, and its agent told no cost" })),
  commits: Type.Integer(),
});
export type SessionCard = Static<typeof SessionCard>;

/** Tokens in the context at a time: session, milliseconds since the epoch, tokens. */
export type CurvePoint = [session: number, atMs: number, tokens: number];

/** What the list shows of a run: folded from what its supervisor tells, and small whatever that is. */
export const Card = Type.Object({
  id: Type.String(),
  host: Type.String(),
  worker: Type.String(),
  project: Type.String(),
  report: FleetReport,
  startedAt: Type.String(),
  windowTokens: Type.Optional(Type.Integer()),
  contextLimitPercent: Type.Optional(Type.Number()),
  budgetUsd: Type.Optional(Type.Number()),
  waitingUntil: Type.Optional(Type.String()),
  waitingFor: Type.Optional(Type.String()),
  sessions: Type.Array(SessionCard),
  curve: Type.Array(Type.Unsafe<CurvePoint>(Type.Array(Type.Number())), {
    description: "Context over time: session, milliseconds since the epoch, tokens",
  }),
  commits: Type.Integer(),
  files: Type.Integer(),
  insertions: Type.Integer(),
  deletions: Type.Integer(),
  criticStops: Type.Integer(),
  handoffs: Type.Integer(),
  gate: Type.Optional(
    Type.Object({
      when: Type.String(),
      verdict: Type.String(),
      session: Type.Integer(),
      firstError: Type.Optional(Type.String()),
    }),
  ),
  verdict: Type.Optional(
    Type.Object({
      verdict: Type.String(),
      reasons: Type.Array(Type.String()),
      acceptedBy: Type.Optional(Type.String({ description: "Who accepted what no check could decide" })),
      receipt: Type.Optional(Type.String({ description: "The file of the signed receipt, on the host" })),
    }),
  ),
  rescued: Type.Array(Type.String()),
});
export type Card = Static<typeof Card>;

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
