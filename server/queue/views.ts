import { iso } from "../../core/clock.ts";
import { withoutUndefined } from "../../core/without-undefined.ts";
import { redactSecrets } from "../../core/redaction.ts";
import { type Static, Type } from "../../core/schema.ts";
import { type Job, JOB_STATES, type JobEvent } from "../../queue/job.ts";

export const TaskView = Type.Object({
  id: Type.Integer(),
  worker: Type.String(),
  task: Type.String(),
  state: Type.Union(JOB_STATES.map((state) => Type.Literal(state))),
  phase: Type.Optional(Type.String({ description: "Of a running one: `preparing` its place, or `working`" })),
  reason: Type.Optional(Type.String({ description: "Why it waits, is blocked or ended" })),
  repo: Type.Optional(Type.String()),
  dir: Type.Optional(Type.String()),
  host: Type.Optional(Type.String({ description: "The only host that may run it" })),
  runHost: Type.Optional(Type.String({ description: "The host that runs it, or ran it last" })),
  pool: Type.Optional(Type.String()),
  runName: Type.Optional(Type.String({ description: "Name of its worker on that host" })),
  run: Type.Optional(Type.String({ description: "Its newest run, where a supervisor has told of one" })),
  branch: Type.Optional(Type.String()),
  head: Type.Optional(Type.String()),
  priority: Type.Integer(),
  after: Type.Array(Type.Integer(), { description: "Tasks that have to end complete before" }),
  attempts: Type.Integer({ description: "Runs that were lost with their host, pool or supervisor" }),
  maxAttempts: Type.Integer(),
  session: Type.Optional(Type.Integer()),
  max: Type.Optional(Type.Integer()),
  costUsd: Type.Optional(Type.Number()),
  addedAt: Type.String(),
  startedAt: Type.Optional(Type.String()),
  endedAt: Type.Optional(Type.String()),
});
export type TaskView = Static<typeof TaskView>;

export const TaskEventView = Type.Object({
  at: Type.String(),
  kind: Type.String(),
  host: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
});

const redacted = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : redactSecrets(text);

/** A task as the API tells it: addresses of repositories without passwords, texts without secrets. */
export const viewTask = (task: Job, run?: string): TaskView => ({
  id: task.id,
  worker: task.worker,
  task: redactSecrets(task.task),
  state: task.state,
  priority: task.priority,
  after: task.after,
  attempts: task.attempts,
  maxAttempts: task.maxAttempts,
  addedAt: iso(task.addedAt),
  ...withoutUndefined({
    phase: task.phase,
    reason: redacted(task.reason),
    repo: redacted(task.repo),
    dir: task.dir,
    host: task.host,
    runHost: task.runHost,
    pool: task.pool,
    runName: task.runName,
    run,
    branch: task.branch,
    head: task.head,
    session: task.progress?.session,
    max: task.progress?.max,
    costUsd: task.progress?.costUsd,
    startedAt: task.startedAt === undefined ? undefined : iso(task.startedAt),
    endedAt: task.endedAt === undefined ? undefined : iso(task.endedAt),
  }),
});

export const viewTaskEvent = ({ at, kind, host, text }: JobEvent): Static<typeof TaskEventView> => ({
  at: iso(at),
  kind,
  ...withoutUndefined({ host, text: redacted(text) }),
});
