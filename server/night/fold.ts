import type { Card, CurvePoint, SessionCard } from "./card.ts";
import { isActive } from "./card.ts";
import type { NightBatch, NightEvent } from "./schemas.ts";

/** A run as it is stored. Times are milliseconds since the epoch; `reportedAt` is by the server's clock. */
export type StoredRun = {
  card: Card;
  reportedAt: number;
  startedAt: number;
  endedAt: number | undefined;
  /** log lines that are kept */
  logLines: number;
  /** the last event of each stream that was taken */
  streams: Record<string, number>;
};

/** An event as it is stored; its number is the database's. */
export type NewEvent = {
  at: number;
  kind: string;
  session: number;
  lines: number;
  body: Record<string, unknown>;
  text: string | undefined;
};

const CURVE_POINTS = 96;
const KEPT_SESSIONS = 200;
const KEPT_STREAMS = 20;

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** A time that a host says, or the server's own where it is none. */
const timeOf = (iso: string | undefined, fallback: number): number => {
  const ms = Date.parse(iso ?? "");
  return Number.isNaN(ms) ? fallback : ms;
};

/** Keeps a curve short: every second point goes when it has grown too long, the last one never. */
const withPoint = (curve: readonly CurvePoint[], point: CurvePoint): CurvePoint[] => {
  const whole = [...curve, point];
  return whole.length <= CURVE_POINTS
    ? whole
    : whole.filter((_, at) => at % 2 === 1 || at === whole.length - 1);
};

const withSession = (
  card: Card,
  number: number,
  change: (session: SessionCard) => SessionCard,
  startedAt: string,
): Card => {
  const known = card.sessions.find((session) => session.number === number);
  const next = change(known ?? { number, startedAt, commits: 0 });
  const others = card.sessions.filter((session) => session.number !== number);
  return {
    ...card,
    sessions: [...others, next].toSorted((a, b) => a.number - b.number).slice(-KEPT_SESSIONS),
  };
};

const spending = (data: Record<string, unknown>) => {
  const [costUsd, tokens] = [numberOf(data["costUsd"]), numberOf(data["tokens"])];
  return { ...(costUsd === undefined ? {} : { costUsd }), ...(tokens === undefined ? {} : { tokens }) };
};

/** The texts among these fields, each cut to its length. */
const cutTexts = <Name extends string>(
  data: Record<string, unknown>,
  most: Record<Name, number>,
): Partial<Record<Name, string>> =>
  Object.fromEntries(
    Object.entries<number>(most).flatMap(([name, length]) => {
      const text = textOf(data[name]);
      return text === undefined ? [] : [[name, text.slice(0, length)]];
    }),
  ) as Partial<Record<Name, string>>;

type Told = { session: number; at: string; atMs: number; data: Record<string, unknown> };

/** What each kind of event changes in the list. A kind that is not here is kept, and shown in its run only. */
const FOLDS: Readonly<Record<string, (card: Card, told: Told) => Card>> = {
  "session-begin": (card, { session, at }) =>
    withSession(card, session, (known) => ({ ...known, startedAt: at }), at),
  usage: (card, { session, at, atMs, data }) => {
    const tokens = numberOf(data["contextTokens"]);
    const next = withSession(card, session, (known) => ({ ...known, ...spending(data) }), at);
    return tokens === undefined ? next : { ...next, curve: withPoint(card.curve, [session, atMs, tokens]) };
  },
  gates: (card, { session, data }) => {
    const firstError = textOf(data["firstError"]);
    return {
      ...card,
      gate: {
        session,
        when: textOf(data["when"]) ?? "",
        verdict: textOf(data["verdict"]) ?? "none",
        ...(firstError === undefined ? {} : { firstError: firstError.slice(0, 400) }),
      },
    };
  },
  "critic-stop": (card) => ({ ...card, criticStops: card.criticStops + 1 }),
  handoff: (card) => ({ ...card, handoffs: card.handoffs + 1 }),
  commits: (card, { session, at, data }) => {
    const commits = textsOf(data["commits"]).length;
    const add = (name: string) => numberOf(data[name]) ?? 0;
    const next = withSession(card, session, (known) => ({ ...known, commits }), at);
    return {
      ...next,
      commits: card.commits + commits,
      files: card.files + add("files"),
      insertions: card.insertions + add("insertions"),
      deletions: card.deletions + add("deletions"),
    };
  },
  rescue: (card, { data }) => {
    const ref = textOf(data["ref"]);
    return ref === undefined ? card : { ...card, rescued: [...new Set([...card.rescued, ref])].slice(-20) };
  },
  verdict: (card, { data }) => ({
    ...card,
    verdict: {
      ...cutTexts(data, { acceptedBy: 100, receipt: 4096 }),
      verdict: (textOf(data["verdict"]) ?? textOf(data["result"]) ?? "unverified").slice(0, 40),
      reasons: textsOf(data["reasons"])
        .slice(0, 20)
        .map((reason) => reason.slice(0, 1000)),
    },
  }),
  "session-end": (card, { session, at, data }) => {
    const endReason = textOf(data["endReason"]);
    return withSession(
      card,
      session,
      (known) => ({
        ...known,
        ...spending(data),
        // One that was not counted never came to work.
        ...(known.costUsd === undefined && spending(data).costUsd === undefined && data["isCounted"] !== false
          ? { isUnpriced: true as const }
          : {}),
        endedAt: at,
        ...(endReason === undefined ? {} : { endReason: endReason.slice(0, 40) }),
      }),
      at,
    );
  },
};

const emptyCard = (
  { host, worker }: { host: string; worker: string },
  { report, run }: NightBatch,
): Card => ({
  id: run.id,
  host,
  worker,
  project: run.project,
  report,
  startedAt: run.startedAt,
  sessions: [],
  curve: [],
  commits: 0,
  files: 0,
  insertions: 0,
  deletions: 0,
  criticStops: 0,
  handoffs: 0,
  rescued: [],
});

/** What the newest report says of the run; it counts whatever was told before. */
const withReport = (card: Card, { report, run }: NightBatch): Card => {
  const { waitingUntil: _until, waitingFor: _for, ...kept } = card;
  const { id: _id, startedAt: _startedAt, ...head } = run;
  return { ...kept, ...head, report };
};

const linesOf = ({ kind, data }: NightEvent): number =>
  kind === "log" ? textsOf(data?.["lines"]).length : 0;

/**
 * Takes what a supervisor tells: the run as it is then, and the events that are new. A plain function: told twice
 * (the answer was lost), a batch changes nothing the second time.
 */
export const foldBatch = (
  before: StoredRun | undefined,
  batch: NightBatch,
  { host, worker, now }: { host: string; worker: string; now: number },
): { run: StoredRun; events: NewEvent[] } => {
  const taken = before?.streams[batch.stream] ?? 0;
  const fresh = batch.events.filter(({ seq }) => seq > taken).toSorted((a, b) => a.seq - b.seq);
  let card = before?.card ?? emptyCard({ host, worker }, batch);
  const events: NewEvent[] = [];
  for (const event of fresh) {
    const told = {
      session: event.session ?? 0,
      at: event.at,
      atMs: timeOf(event.at, now),
      data: event.data ?? {},
    };
    card = FOLDS[event.kind]?.(card, told) ?? card;
    events.push({
      at: told.atMs,
      kind: event.kind,
      session: told.session,
      lines: linesOf(event),
      body: told.data,
      text: event.text,
    });
  }
  // A spool of an earlier run that is told late says nothing of how the worker is now.
  card = withReport(card, batch);
  const last = fresh.at(-1)?.seq ?? taken;
  const streams = Object.entries({ ...before?.streams, [batch.stream]: last }).slice(-KEPT_STREAMS);
  const startedAt = before?.startedAt ?? timeOf(batch.run.startedAt, now);
  return {
    run: {
      card,
      reportedAt: now,
      startedAt,
      endedAt: isActive(batch.report.status) ? undefined : timeOf(batch.report.endedAt, now),
      logLines: (before?.logLines ?? 0) + events.reduce((sum, { lines }) => sum + lines, 0),
      streams: Object.fromEntries(streams),
    },
    events,
  };
};
