import { type Static, Type } from "../../core/schema.ts";

const text = (maxLength: number, description: string) => Type.String({ maxLength, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const time = (description: string) => Type.String({ maxLength: 40, description });

/** What a supervisor says of its worker. */
export const FleetReport = Type.Object(
  {
    status: Type.String({ pattern: "^[a-z-]{1,20}$", description: "As in the worker's state file" }),
    session: count("Counted sessions so far"),
    max: count("Maximum number of sessions"),
    dir: text(4096, "Its directory on that host"),
    task: text(200, "First line of its task, without secrets"),
    agent: text(200, "Its coding agent"),
    model: Type.Optional(text(200, "The agent's model")),
    contextPercent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1000, description: "Share of the context window in use" }),
    ),
    contextTokens: Type.Optional(count("Tokens in the context")),
    costUsd: Type.Number({ minimum: 0, description: "What it has cost so far, as far as its agent says" }),
    tokens: count("Tokens used so far"),
    gate: Type.Optional(Type.String({ pattern: "^[a-z]{1,20}$", description: "Verdict of the last gates" })),
    lastEvent: Type.Optional(text(300, "Last line of its log, without secrets")),
    reason: Type.Optional(text(2000, "Why it ended")),
    queueTask: Type.Optional(count("Task of the queue that it works on")),
    startedAt: time("By the host's clock"),
    updatedAt: time("By the host's clock"),
    endedAt: Type.Optional(time("By the host's clock")),
  },
  { additionalProperties: false },
);

export type FleetReport = Static<typeof FleetReport>;

export const FleetName = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$",
  description: "Letters, digits, '.', '_', '-'",
});

export const FleetWorkerName = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,252}(/[A-Za-z0-9][A-Za-z0-9._-]{0,63})?$",
  description: "The worker's name; `<folder>/<name>` where two of the host have the name",
});

/** A worker of the fleet, as it is answered. */
export const FleetWorker = Type.Object({
  host: Type.String(),
  worker: Type.String(),
  ...FleetReport.properties,
  reportedAt: Type.String(),
  ageSeconds: Type.Integer(),
  isSilent: Type.Boolean(),
});

export type FleetWorker = Static<typeof FleetWorker>;
