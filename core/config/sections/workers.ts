import { type Static, Type } from "../../schema.ts";
import { SandboxSection } from "./sandbox.ts";
import { flag, number, section, text, texts, whole } from "./fields.ts";

const minutes = (description: string, fallback: number) =>
  number(description, { exclusiveMinimum: 0, maximum: 10_080, default: fallback });

/** Limits of a worker; docs/workers.md lists them with these defaults. */
export const LimitsSection = section({
  contextPercent: number("Share of the context window at which a session hands over", {
    minimum: 1,
    maximum: 99,
    default: 75,
  }),
  sessionMinutes: minutes("Time limit of one session", 60),
  idleMinutes: minutes("How long an agent may be silent while it runs no tool", 15),
  handoffMinutes: minutes("How long the agent has for its closing note", 3),
  totalHours: number("Time limit of the whole worker", { exclusiveMinimum: 0, maximum: 1000 }),
  costUsd: number("Cost limit of all sessions together, in USD", { exclusiveMinimum: 0 }),
  tokens: whole("Token limit of all sessions together", { minimum: 1 }),
  stalledSessions: whole(
    "Sessions in a row without a commit or a change before the worker counts as stalled",
    { minimum: 1, default: 3 },
  ),
  sameErrors: whole("Times the same error may come in a row before the worker fails", {
    minimum: 1,
    default: 3,
  }),
  backoffSeconds: number("Pause after a failed session; doubles with each further failure, up to an hour", {
    minimum: 0,
    maximum: 3600,
    default: 5,
  }),
  gateMinutes: minutes("Time limit of gates/health.sh", 10),
  rescueMiB: number("How much a rescue copies of files that are in no commit yet, in MiB", {
    minimum: 0,
    maximum: 1_048_576,
    default: 50,
  }),
  rescueFileMiB: number("Size limit of each such file, in MiB", {
    minimum: 0,
    maximum: 1_048_576,
    default: 10,
  }),
});

/** What must hold, besides the `DONE:` line, for a worker to be complete. */
export const DoneSection = section({
  gates: flag("The gates must be healthy", true),
  cleanTree: flag("Nothing may be left uncommitted", true),
});

/** `workers.<name>`: a worker declared in the config; flags of `worker start` win over it. */
export const WorkerSection = section({
  task: text("What the worker is to do"),
  dir: text("Working directory, from the config's folder"),
  agent: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })], {
      description:
        "Agent id, or several that stand in for each other, the preferred first: `claude`, `codex:<model>`; the first one found on PATH by default",
    }),
  ),
  model: text("Model, in the agent's own spelling"),
  max: whole("Maximum number of sessions", { minimum: 1, maximum: 10_000, default: 10 }),
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
  mayChange: texts("Globs of sealed files and tests that its sessions may change"),
  worktree: flag("Work in a git worktree of its own", false),
  shared: flag("Allow another worker elsewhere in the same git worktree", false),
  sandbox: Type.Optional(SandboxSection),
});

export type Limits = Static<typeof LimitsSection>;
export type DoneRule = Static<typeof DoneSection>;
export type WorkerDeclaration = Static<typeof WorkerSection>;
