import { Elysia, t } from "elysia";
import { type Static, Type } from "../../core/schema.ts";
import { ENDED_STATES, type Job, JOB_STATES, type JobState } from "../../queue/job.ts";
import { getRequestInfo } from "../http/request-info.ts";
import { documented } from "../http/route-docs.ts";
import { type NightAccess, nightAccess } from "../night/access.ts";
import type { NightStore } from "../night/store.ts";
import { getDesk, type QueuePorts } from "./ports.ts";
import { TaskEventView, TaskView, viewTask, viewTaskEvent } from "./views.ts";

const params = t.Object({ id: t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) });
const QueueAnswer = Type.Object({
  hasQueue: Type.Boolean(),
  tasks: Type.Array(TaskView),
  counts: Type.Record(Type.String(), Type.Integer()),
  pools: Type.Array(Type.Object({ pool: Type.String(), host: Type.String(), tasks: Type.Integer() })),
});
const TaskAnswer = Type.Object({ task: TaskView, events: Type.Array(TaskEventView) });
const DEFAULT_LIMIT = 100;

const statesOf = (state: JobState | "open" | "ended" | undefined): readonly JobState[] => {
  if (state === undefined) return JOB_STATES;
  if (state === "ended") return ENDED_STATES;
  if (state === "open") return JOB_STATES.filter((one) => !ENDED_STATES.includes(one));
  return [state];
};

const changed = (summary: string, description: string) =>
  documented({
    summary,
    description,
    auth: true,
    response: TaskView,
    errors: ["bad-data", "unauthorized", "forbidden", "not-found", "conflict", "unavailable"],
  });

/** The queue of a server's PostgreSQL: looked at by who may watch workers, changed by who may steer them. */
export const queueRoutes = (ports: QueuePorts & Pick<NightStore, "runsOfTasks">, access: NightAccess) => {
  const viewTasks = async (tasks: readonly Job[]): Promise<TaskView[]> => {
    const ids = tasks.map(({ id }) => id);
    const runs = await ports.runsOfTasks([Math.min(...ids), Math.max(...ids)]);
    return tasks.map((task) => viewTask(task, runs.get(task.id)));
  };
  const { watching, steering } = nightAccess(access);
  return new Elysia({ name: "queue", tags: ["queue"] })
    .get(
      "/api/queue",
      async ({ query: { state, limit = DEFAULT_LIMIT } }): Promise<Static<typeof QueueAnswer>> => {
        if (!ports.open) return { hasQueue: false, tasks: [], counts: {}, pools: [] };
        const desk = await getDesk(ports);
        const { tasks, counts, pools } = await desk.overview({ states: statesOf(state), limit });
        return { hasQueue: true, tasks: tasks.length === 0 ? [] : await viewTasks(tasks), counts, pools };
      },
      {
        ...watching.plain,
        query: t.Object({
          state: t.Optional(
            t.Union([...JOB_STATES, "open" as const, "ended" as const].map((state) => t.Literal(state))),
          ),
          limit: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
        }),
        ...documented({
          summary: "The tasks of the queue, how many there are of each state, and the pools at work",
          description:
            "Running and waiting ones first, then the ended ones, the newest first. `hasQueue` is false on a server without PostgreSQL. A pool is listed while it holds a task.",
          auth: true,
          response: QueueAnswer,
          errors: ["bad-data", "unauthorized", "forbidden", "unavailable"],
        }),
      },
    )
    .get(
      "/api/queue/:id",
      async ({ params: { id } }): Promise<Static<typeof TaskAnswer>> => {
        const { task, events } = await (await getDesk(ports)).task(id);
        const [view = viewTask(task)] = await viewTasks([task]);
        return { task: view, events: events.map(viewTaskEvent) };
      },
      {
        ...watching.plain,
        params,
        ...documented({
          summary: "A task of the queue, and everything that happened to it",
          auth: true,
          response: TaskAnswer,
          errors: ["bad-data", "unauthorized", "forbidden", "not-found", "unavailable"],
        }),
      },
    )
    .post(
      "/api/queue/:id/cancel",
      async ({ params: { id }, body, request }) => {
        const isNow = body.now === true;
        getRequestInfo(request).subject = `cancel task ${id}${isNow ? " now" : ""}`;
        return viewTask(await (await getDesk(ports)).cancel(id, { isNow }));
      },
      {
        ...steering.json,
        params,
        body: t.Object({ now: t.Optional(t.Boolean()) }),
        ...changed(
          "Cancels a task",
          "At once when nobody runs it; else its pool stops its worker: after a handoff, or at once with `now`.",
        ),
      },
    )
    .post(
      "/api/queue/:id/retry",
      async ({ params: { id }, body, request }) => {
        const isFresh = body.fresh === true;
        getRequestInfo(request).subject = `retry task ${id}${isFresh ? " from scratch" : ""}`;
        return viewTask(await (await getDesk(ports)).retry(id, { isFresh }));
      },
      {
        ...steering.json,
        params,
        body: t.Object({ fresh: t.Optional(t.Boolean()) }),
        ...changed(
          "Puts a task that failed, was cancelled or is unverified into the queue again",
          "From its last handoff, or from scratch with `fresh`.",
        ),
      },
    );
};
