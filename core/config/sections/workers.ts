import { type Static, Type } from "../../schema.ts";
import { SandboxSection } from "./sandbox.ts";

const minutes = (description: string, fallback: number) =>
  Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_080, default: fallback, description }));

/** Limits of a worker; docs/workers.md lists them with these defaults. */
export const LimitsSection = Type.Object(
  {
    contextPercent: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 99,
        default: 75,
        description: "Share of the context window at which a session hands over",
      }),
    ),
    sessionMinutes: minutes("Time limit of one session", 60),
    idleMinutes: minutes("How long an agent may be silent while it runs no tool", 15),
    handoffMinutes: minutes("How long the agent has for its closing note", 3),
    totalHours: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 1000, description: "Time limit of the whole worker" }),
    ),
    costUsd: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: "Cost limit of all sessions together, in USD" }),
    ),
    tokens: Type.Optional(Type.Integer({ minimum: 1, description: "Token limit of all sessions together" })),
    stalledSessions: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 3,
        description: "Sessions in a row without a commit or a change before the worker counts as stalled",
      }),
    ),
    sameErrors: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 3,
        description: "Times the same error may come in a row before the worker fails",
      }),
    ),
    backoffSeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 3600,
        default: 5,
        description: "Pause after a failed session; doubles with each further failure, up to an hour",
      }),
    ),
    gateMinutes: minutes("Time limit of gates/health.sh", 10),
    rescueMiB: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1_048_576,
        default: 50,
        description: "How much a rescue copies of files that are in no commit yet, in MiB",
      }),
    ),
    rescueFileMiB: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1_048_576,
        default: 10,
        description: "Size limit of each such file, in MiB",
      }),
    ),
  },
  { additionalProperties: false },
);

/** What must hold, besides the `DONE:` line, for a worker to be complete. */
export const DoneSection = Type.Object(
  {
    gates: Type.Optional(Type.Boolean({ default: true, description: "The gates must be healthy" })),
    cleanTree: Type.Optional(Type.Boolean({ default: true, description: "Nothing may be left uncommitted" })),
  },
  { additionalProperties: false },
);

/** `workers.<name>`: a worker declared in the config; flags of `worker start` win over it. */
export const WorkerSection = Type.Object(
  {
    task: Type.Optional(Type.String({ minLength: 1, description: "What the worker is to do" })),
    dir: Type.Optional(
      Type.String({ minLength: 1, description: "Working directory, from the config's folder" }),
    ),
    agent: Type.Optional(
      Type.Union(
        [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })],
        {
          description:
            "Agent id, or several that stand in for each other, the preferred first: `claude`, `codex:<model>`; the first one found on PATH by default",
        },
      ),
    ),
    model: Type.Optional(Type.String({ minLength: 1, description: "Model, in the agent's own spelling" })),
    max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 10,
        description: "Maximum number of sessions",
      }),
    ),
    limits: Type.Optional(LimitsSection),
    done: Type.Optional(DoneSection),
    onRateLimit: Type.Optional(
      Type.String({
        minLength: 1,
        default: "wait",
        description: "`wait` for the reset, `stop`, or go on with `agent:<id>` or `model:<name>`",
        pattern: "^(wait|stop|agent:.+|model:.+)$",
      }),
    ),
    mayChange: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Globs of sealed files and tests that its sessions may change",
      }),
    ),
    worktree: Type.Optional(
      Type.Boolean({ default: false, description: "Work in a git worktree of its own" }),
    ),
    shared: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Allow another worker elsewhere in the same git worktree",
      }),
    ),
    sandbox: Type.Optional(SandboxSection),
  },
  { additionalProperties: false },
);

export type Limits = Static<typeof LimitsSection>;
export type DoneRule = Static<typeof DoneSection>;
export type WorkerDeclaration = Static<typeof WorkerSection>;
