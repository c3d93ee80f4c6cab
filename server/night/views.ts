import { type Static, Type } from "../../core/schema.ts";
import { FleetReport } from "../fleet/schemas.ts";
import { type CurvePoint, isSilent, needOf } from "./card.ts";
import type { ListedRun, StoredEvent } from "./store.ts";

const Session = Type.Object({
  number: Type.Integer(),
  startedAt: Type.String(),
  endedAt: Type.Optional(Type.String()),
  endReason: Type.Optional(Type.String()),
  costUsd: Type.Optional(Type.Number()),
  tokens: Type.Optional(Type.Number()),
  isUnpriced: Type.Optional(Type.Literal(true, { description: "It is over, and its agent told no cost" })),
  commits: Type.Integer(),
});

/** A run in the list. */
export const RunView = Type.Object({
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
  sessions: Type.Array(Session),
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
  reportedAt: Type.String({ description: "By the server's clock" }),
  ageSeconds: Type.Integer(),
  isSilent: Type.Boolean(),
  need: Type.Optional(Type.String({ description: "Why it needs a person, in words" })),
});
export type RunView = Static<typeof RunView>;

/** Something that happened in a run. What is long is read by its number. */
export const EventView = Type.Object({
  number: Type.Integer(),
  at: Type.String(),
  kind: Type.String(),
  session: Type.Integer(),
  data: Type.Record(Type.String(), Type.Unknown()),
  textLength: Type.Integer(),
});
export type EventView = Static<typeof EventView>;

export const viewRun = ({ card, reportedAt, isSeen }: ListedRun, now: number): RunView => {
  const need = isSeen ? undefined : needOf(card, { reportedAt, now });
  return {
    ...card,
    reportedAt: new Date(reportedAt).toISOString(),
    ageSeconds: Math.max(0, Math.round((now - reportedAt) / 1000)),
    isSilent: isSilent(card.report.status, reportedAt, now),
    ...(need === undefined ? {} : { need }),
  };
};

export const viewEvent = ({ number, at, kind, session, body, textLength }: StoredEvent): EventView => ({
  number,
  at: new Date(at).toISOString(),
  kind,
  session,
  data: body,
  textLength,
});

const POINTS = 1_000;

/** Points of the curve are many: no screen shows more of them than it has pixels. */
export const thinOut = (events: StoredEvent[]): StoredEvent[] => {
  const points = events.filter(({ kind }) => kind === "usage").length;
  if (points <= POINTS) return events;
  const every = Math.ceil(points / POINTS);
  let seen = 0;
  return events.filter(({ kind }) => kind !== "usage" || seen++ % every === 0);
};
