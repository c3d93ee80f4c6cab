import { AppError } from "../../core/errors.ts";
import { type Static, Type } from "../../core/schema.ts";
import type { Principal } from "../auth/authenticate.ts";
import { awaitCommand } from "../night/await-command.ts";
import type { Overview } from "../night/overview.ts";
import type { NightPorts } from "../night/ports.ts";
import type { Action, CommandView } from "../night/schemas.ts";
import type { RunView } from "../night/views.ts";
import { type ApiSide, askApi, requireToken } from "./ask-api.ts";
import { declareTool, type ServerTool } from "./tool.ts";

export type WorkerSide = { night: Pick<NightPorts, "store" | "bus" | "now"> };
type Side = ApiSide & WorkerSide;

/** How long a tool waits for a host's answer: less than the least that clients give a call. */
const ANSWER_MS = 20_000;
const NEWEST = 200;

const has = (principal: Principal | undefined, ...actions: Principal["actions"]): boolean =>
  principal !== undefined &&
  principal.site === undefined &&
  [...actions, "admin" as const].some((action) => principal.actions.includes(action));

const allow = ({ auth }: Side, request: Request): Promise<Principal> => requireToken(auth, request);

const Which = {
  worker: Type.String({ minLength: 1, maxLength: 64, description: "name of the worker" }),
  host: Type.Optional(
    Type.String({ minLength: 1, maxLength: 253, description: "its host, where two have one of that name" }),
  ),
};
const WhichWorker = Type.Object(Which, { additionalProperties: false });

const readNight = (side: Side, request: Request, query: Record<string, string | undefined>) => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return askApi<Overview>(side, request, { method: "GET", path: `/api/night?${new URLSearchParams(given)}` });
};

/** The newest run of a worker. @throws AppError `not-found`, or `bad-data` where hosts share the name */
const findRun = async (
  side: Side,
  request: Request,
  { worker, host }: Static<typeof WhichWorker>,
): Promise<RunView> => {
  const { running, runs } = await readNight(side, request, { host, limit: String(NEWEST) });
  const mine = [...running, ...runs].filter((run) => run.worker === worker);
  const hosts = new Set(mine.map((run) => run.host));
  if (hosts.size > 1)
    throw new AppError("bad-data", `${worker} is on ${[...hosts].join(", ")}: say which in host`);
  const [run] = mine.toSorted((one, other) => Date.parse(other.startedAt) - Date.parse(one.startedAt));
  if (!run) throw new AppError("not-found", `None of the newest ${NEWEST} runs is of a worker "${worker}"`);
  return run;
};

const ask = async (
  { side, request }: { side: Side; request: Request },
  which: Static<typeof WhichWorker>,
  action: Action,
): Promise<string> => {
  const run = await findRun(side, request, which);
  const { id } = await askApi<CommandView>(side, request, {
    method: "POST",
    path: `/api/night/runs/${encodeURIComponent(run.id)}/commands`,
    json: { action },
  });
  const command = await awaitCommand(side.night, {
    run: run.id,
    id,
    ms: ANSWER_MS,
    gone: request.signal,
  });
  return JSON.stringify({ worker: run.worker, host: run.host, action, ...said(command) });
};

/** sent: nobody fetched it yet; received: its host works on it; done, failed, expired: that was it. */
const said = ({ state, detail, expiresAt }: CommandView) => ({
  state,
  ...(detail === undefined ? {} : { detail }),
  ...(state === "sent" || state === "received"
    ? { until: expiresAt, next: "workers_report with this worker says what became of it" }
    : {}),
});

/** The curve is for the page's eyes: a model would pay for thousands of points. */
const brief = (run: RunView) => ({ ...run, curve: undefined });

/** The workers of all hosts: what became of them, by `watch`; resume and stop, by `steer`. */
export const WORKER_TOOLS: readonly ServerTool<Side>[] = [
  declareTool({
    name: "workers_report",
    description:
      "What became of the workers of all hosts: status and why, what needs a person, sessions, cost, commits. Of one worker also what was asked of it and what became of that.",
    input: Type.Object(
      {
        worker: Type.Optional(Which.worker),
        host: Which.host,
        project: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
        since: Type.Optional(Type.String({ maxLength: 40, description: "as in 2026-11-20T18:00:00Z" })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
      },
      { additionalProperties: false },
    ),
    isReadOnly: true,
    isOffered: (principal) => has(principal, "watch", "steer"),
    allow,
    run: async ({ ports, request }, { worker, host, project, since, limit }) => {
      if (worker !== undefined) {
        const { id } = await findRun(ports, request, { worker, ...(host === undefined ? {} : { host }) });
        const one = await askApi<{ run: RunView; commands: CommandView[]; published: unknown[] }>(
          ports,
          request,
          { method: "GET", path: `/api/night/runs/${encodeURIComponent(id)}` },
        );
        return JSON.stringify({ run: brief(one.run), asked: one.commands, published: one.published });
      }
      const query = { host, project, since, limit: limit === undefined ? undefined : String(limit) };
      const night = await readNight(ports, request, query);
      const { needsYou, running, runs, totals } = night;
      return JSON.stringify({
        since: night.since,
        totals,
        needsYou: needsYou.map(brief),
        running: running.map(brief),
        runs: runs.map(brief),
      });
    },
  }),
  declareTool({
    name: "worker_start",
    description:
      "Start a worker again that has ended, from its handoff. The steerer of its host does it; a new worker is started on its own machine.",
    input: WhichWorker,
    isReadOnly: false,
    isOffered: (principal) => has(principal, "steer"),
    allow,
    run: ({ ports, request }, which) => ask({ side: ports, request }, which, "resume"),
  }),
  declareTool({
    name: "worker_stop",
    description: "Ask a worker to end after what it is doing, with a handoff; or at once.",
    input: Type.Object(
      { ...Which, now: Type.Optional(Type.Boolean({ description: "end it at once" })) },
      { additionalProperties: false },
    ),
    isReadOnly: false,
    isDestructive: true,
    isOffered: (principal) => has(principal, "steer"),
    allow,
    run: ({ ports, request }, { now, ...which }) =>
      ask({ side: ports, request }, which, now === true ? "stop-now" : "stop"),
  }),
];
