import { type Static, Type } from "../../core/schema.ts";
import { Card, isSilent, needOf } from "./card.ts";
import type { ListedRun, StoredEvent } from "./store.ts";

/** A run in the list. */
export const RunView = Type.Object({
  ...Card.properties,
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
