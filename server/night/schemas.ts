import { type Static, Type } from "../../core/schema.ts";
import { FleetName, FleetReport, FleetWorkerName } from "../fleet/schemas.ts";

const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description === undefined ? {} : { description }) });
const count = () => Type.Integer({ minimum: 0 });
const time = () => Type.String({ maxLength: 40 });

export const RunId = Type.String({ pattern: "^[A-Za-z0-9-]{8,64}$" });

/** One start of a worker and every resume of it. */
export const RunHead = Type.Object({
  id: RunId,
  project: text(200, "What its memory and its list are kept by"),
  startedAt: time(),
  windowTokens: Type.Optional(count()),
  contextLimitPercent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  budgetUsd: Type.Optional(Type.Number({ minimum: 0 })),
  waitingUntil: Type.Optional(time()),
  waitingFor: Type.Optional(text(400)),
});

export const NightEvent = Type.Object({
  seq: Type.Integer({
    minimum: 1,
    description: "Counts up within the stream; told again, it changes nothing",
  }),
  at: time(),
  kind: Type.String({ pattern: "^[a-z-]{1,30}$" }),
  session: Type.Optional(count()),
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  text: Type.Optional(text(300_000, "What is long: a patch, a report, a handoff")),
});

/** What a supervisor tells at once. */
export const NightBatch = Type.Object({
  report: FleetReport,
  run: RunHead,
  stream: Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$", description: "One for each supervisor process" }),
  events: Type.Array(NightEvent, { maxItems: 500 }),
});
export type NightBatch = Static<typeof NightBatch>;
export type NightEvent = Static<typeof NightEvent>;
export type RunHead = Static<typeof RunHead>;

export const BATCH_PARAMS = Type.Object({ host: FleetName, worker: FleetWorkerName });

export const ACTIONS = ["stop", "stop-now", "resume", "adjust", "note", "accept", "refuse"] as const;
export type Action = (typeof ACTIONS)[number];

/** What a person asks of a worker. */
export const NewCommand = Type.Object(
  {
    action: Type.Unsafe<Action>(Type.Union(ACTIONS.map((action) => Type.Literal(action)))),
    task: Type.Optional(Type.String({ minLength: 1, maxLength: 100_000 })),
    max: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    budgetUsd: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 })),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
  },
  { additionalProperties: false },
);
export type NewCommand = Static<typeof NewCommand>;

const STATES = ["sent", "received", "done", "failed", "expired"] as const;
export type CommandState = (typeof STATES)[number];

/** A command as the page sees it. */
export const CommandView = Type.Object({
  id: Type.String(),
  run: Type.String(),
  action: Type.String(),
  args: Type.Record(Type.String(), Type.Unknown()),
  askedBy: Type.String(),
  state: Type.Unsafe<CommandState>(Type.Union(STATES.map((state) => Type.Literal(state)))),
  detail: Type.Optional(Type.String()),
  createdAt: Type.String(),
  expiresAt: Type.String(),
  receivedAt: Type.Optional(Type.String()),
  endedAt: Type.Optional(Type.String()),
});
export type CommandView = Static<typeof CommandView>;

/** What a supervisor or a steerer asks, and what became of what it got before. */
export const CommandPoll = Type.Object(
  {
    worker: Type.Optional(FleetWorkerName),
    workers: Type.Optional(
      Type.Array(FleetWorkerName, {
        maxItems: 2000,
        description: "The workers that a steerer may act for: those of its directories that do not run",
      }),
    ),
    waitSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 25 })),
    acks: Type.Array(
      Type.Object({
        id: text(64),
        state: Type.Union([Type.Literal("received"), Type.Literal("done"), Type.Literal("failed")]),
        detail: Type.Optional(text(2000)),
      }),
      { maxItems: 100 },
    ),
  },
  { additionalProperties: false },
);
export type CommandPoll = Static<typeof CommandPoll>;

/** A command as it is fetched. */
export const FetchedCommand = Type.Object({
  id: Type.String(),
  worker: Type.String(),
  action: Type.String(),
  args: Type.Record(Type.String(), Type.Unknown()),
});
export type FetchedCommand = Static<typeof FetchedCommand>;

export const HOST_PARAMS = Type.Object({ host: FleetName });
export const RUN_PARAMS = Type.Object({ id: RunId });
