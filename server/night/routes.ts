import { Elysia, t } from "elysia";
import { AppError } from "../../core/errors.ts";
import { type Static, Type } from "../../core/schema.ts";
import { getRequestInfo } from "../http/request-info.ts";
import { PublishedView } from "../publishing/published-by.ts";
import { documented, Done } from "../http/route-docs.ts";
import { allowSteering, type NightAccess, nightAccess } from "./access.ts";
import { askWorker, pollCommands, viewCommand } from "./commands.ts";
import { Overview, readOverview } from "./overview.ts";
import type { NightPorts } from "./ports.ts";
import {
  BATCH_PARAMS,
  CommandPoll,
  CommandView,
  FetchedCommand,
  HOST_PARAMS,
  NewCommand,
  NightBatch,
  RUN_PARAMS,
} from "./schemas.ts";
import { nightStream } from "./stream.ts";
import { BatchAnswer, takeBatch } from "./take-batch.ts";
import { EventView, RunView, thinOut, viewEvent, viewRun } from "./views.ts";

const TIME = { maxLength: 40 };
const NAME = { maxLength: 300 };

const RunAnswer = Type.Object({
  run: RunView,
  events: Type.Array(EventView),
  commands: Type.Array(CommandView),
  published: Type.Array(PublishedView, { description: "What its sessions published, the newest first" }),
});
const LogAnswer = Type.Object({ lines: Type.Array(Type.String()), last: Type.Integer() });
const TextAnswer = Type.Object({ text: Type.String() });
const CommandsAnswer = Type.Object({ commands: Type.Array(FetchedCommand) });

const getRun = async ({ store }: NightPorts, id: string) => {
  const run = await store.find(id);
  if (!run) throw new AppError("not-found", `There is no run ${id}`);
  return run;
};

/** What the workers of all hosts do in a night, what they did, and what they are asked. */
export const nightRoutes = (
  ports: NightPorts,
  access: NightAccess,
  publishedBy: (request: Request, run: string) => Promise<PublishedView[]>,
) => {
  const { watching, steering, reporting } = nightAccess(access);
  const watch = (about: Pick<Parameters<typeof documented>[0], "summary" | "description" | "response">) =>
    documented({ ...about, auth: true, errors: ["bad-data", "unauthorized", "forbidden", "not-found"] });
  return new Elysia({ name: "night", tags: ["night"] })
    .post(
      "/api/fleet/:host/:worker/events",
      ({ params: { host, worker }, body }) => takeBatch(ports, { host, worker, batch: body }),
      {
        ...reporting.json,
        params: BATCH_PARAMS,
        body: NightBatch,
        ...documented({
          summary: "Says how a worker is and what happened in its run since",
          description:
            "In order, and again when the answer was lost: what was told before changes nothing. `nextInMs` is when the server wants to hear the next.",
          auth: true,
          response: BatchAnswer,
          errors: ["bad-data", "unauthorized", "forbidden", "too-large"],
        }),
      },
    )
    .post(
      "/api/fleet/:host/commands",
      async ({ params: { host }, body, request }): Promise<Static<typeof CommandsAnswer>> => ({
        commands: await pollCommands(ports, { host, poll: body, gone: request.signal }),
      }),
      {
        ...reporting.json,
        params: HOST_PARAMS,
        body: CommandPoll,
        ...documented({
          summary: "Fetches what people ask of a host's workers, and says what became of it",
          description:
            "Waits up to `waitSeconds` for a command. One is given out again until it is acknowledged.",
          auth: true,
          response: CommandsAnswer,
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .get("/api/night", ({ query }) => readOverview(ports, query), {
      ...watching.plain,
      query: t.Object({
        since: t.Optional(t.String(TIME)),
        project: t.Optional(t.String(NAME)),
        host: t.Optional(t.String(NAME)),
        status: t.Optional(t.String(NAME)),
        from: t.Optional(t.String(TIME)),
        to: t.Optional(t.String(TIME)),
        before: t.Optional(t.String(NAME)),
        limit: t.Optional(t.Integer({ minimum: 1, maximum: 200 })),
      }),
      ...watch({
        summary: "The night: what needs a person, what runs, and the runs that were",
        description:
          "`since` is what the totals count from (14 hours ago without it); `from` and `to` are the span in which a run began. Runs come newest first, a page at a time.",
        response: Overview,
      }),
    })
    .get(
      "/api/night/stream",
      ({ query, request }) => nightStream(ports.bus, { run: query.run, signal: request.signal }),
      {
        ...watching.plain,
        query: Type.Object({ run: Type.Optional(RUN_PARAMS.properties.id) }),
        ...documented({
          summary: "Server-sent events: which runs changed, and how",
          auth: true,
          contentType: "text/event-stream",
          response: Type.String(),
          errors: ["unauthorized", "forbidden"],
        }),
      },
    )
    .get(
      "/api/night/runs/:id",
      async ({ params: { id }, request }): Promise<Static<typeof RunAnswer>> => {
        const run = await getRun(ports, id);
        const now = ports.now();
        const [events, commands, published] = await Promise.all([
          ports.store.events(id),
          ports.store.listCommands(id),
          publishedBy(request, id),
        ]);
        return {
          run: viewRun(run, now),
          events: thinOut(events).map(viewEvent),
          commands: commands.map((command) => viewCommand(command, now)),
          published,
        };
      },
      {
        ...watching.plain,
        params: RUN_PARAMS,
        ...watch({
          summary: "One run: its sessions, and everything that happened in it but the log",
          response: RunAnswer,
        }),
      },
    )
    .get(
      "/api/night/runs/:id/log",
      async ({ params: { id }, query }): Promise<Static<typeof LogAnswer>> => {
        await getRun(ports, id);
        const chunks = await ports.store.log(id, query.after ?? 0);
        return {
          lines: chunks.flatMap(({ lines }) => lines),
          last: chunks.at(-1)?.number ?? query.after ?? 0,
        };
      },
      {
        ...watching.plain,
        params: RUN_PARAMS,
        query: t.Object({ after: t.Optional(t.Integer({ minimum: 0 })) }),
        ...watch({
          summary: "The last 500 lines of a run's log, without secrets; or what came after a number",
          response: LogAnswer,
        }),
      },
    )
    .get(
      "/api/night/runs/:id/events/:number/text",
      async ({ params: { id, number } }): Promise<Static<typeof TextAnswer>> => {
        const text = await ports.store.text(id, number);
        if (text === undefined) throw new AppError("not-found", `Event ${number} of run ${id} has no text`);
        return { text };
      },
      {
        ...watching.plain,
        params: t.Object({ id: t.String(RUN_PARAMS.properties.id), number: t.Integer({ minimum: 1 }) }),
        ...watch({
          summary: "What is long of an event: a patch, a report of the gates, a handoff",
          response: TextAnswer,
        }),
      },
    )
    .post(
      "/api/night/runs/:id/commands",
      async ({ params: { id }, body, request, set }) => {
        const { label, tokenId } = await allowSteering(access, request);
        const { card } = await getRun(ports, id);
        getRequestInfo(request).subject = `${body.action} for ${card.worker} on ${card.host}`;
        set.status = 201;
        return askWorker(ports, { run: id, askedBy: `${label} (${tokenId})`, wanted: body });
      },
      {
        ...steering.json,
        params: RUN_PARAMS,
        body: NewCommand,
        ...documented({
          summary: "Asks something of a worker: stop, resume, adjust, a note, a verdict",
          description:
            "Its host fetches it within seconds while the worker runs; what ended workers are asked (resume, accept, refuse) the steerer of their host does. Nobody does it after an hour.",
          auth: true,
          status: 201,
          response: CommandView,
          errors: ["bad-data", "unauthorized", "forbidden", "not-found", "conflict"],
        }),
      },
    )
    .post(
      "/api/night/runs/:id/seen",
      async ({ params: { id } }): Promise<Done> => {
        if (!(await ports.store.setSeen(id))) throw new AppError("not-found", `There is no run ${id}`);
        ports.bus.tell({ run: id, kinds: ["report"] });
        return { ok: true };
      },
      {
        ...steering.plain,
        params: RUN_PARAMS,
        ...documented({
          summary: "Takes a run that has ended out of what needs a person",
          auth: true,
          response: Done,
          errors: ["unauthorized", "forbidden", "not-found"],
        }),
      },
    );
};
