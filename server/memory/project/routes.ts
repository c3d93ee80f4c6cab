import { Elysia, t } from "elysia";
import { type Static, Type } from "../../../core/schema.ts";
import { authenticateFirst } from "../../auth/authenticate-first.ts";
import { documented } from "../../http/route-docs.ts";
import { authorize, type Need } from "../../auth/memory-access.ts";
import { type Access, requireScope, SHARED_SCOPE } from "../../auth/scopes.ts";
import { StateShape, type StateView } from "../answers/answers.ts";
import type { MemoryPorts } from "../answers/ask.ts";
import { HandoffBody, StateBody } from "../answers/schemas.ts";
import type { ProjectState } from "../store/store.ts";
import { viewState } from "../answers/views.ts";
import {
  addEvent,
  changeState,
  etagOf,
  expectedRevision,
  getHandoff,
  getState,
  handoffMarkdown,
  HandoffView,
  putHandoff,
  resolveState,
  viewHandoff,
} from "./project.ts";

const RevisionsAnswer = Type.Object({ revisions: Type.Array(StateShape) });
const HandoffsAnswer = Type.Object({ handoffs: Type.Array(HandoffView) });
const params = t.Object({ project: t.String({ minLength: 1, maxLength: 300 }) });
const expected = (headers: Record<string, string | undefined>): number | undefined =>
  expectedRevision({ ifMatch: headers["if-match"], ifNoneMatch: headers["if-none-match"] });

const withEtag = (set: { headers: Record<string, string | number> }, state: ProjectState): StateView => {
  set.headers["etag"] = etagOf(state);
  return viewState(state);
};

const stateDocs = (summary: string, description?: string) =>
  documented({
    summary,
    ...(description === undefined ? {} : { description }),
    auth: true,
    response: StateShape,
    errors: ["bad-data", "unauthorized", "forbidden", "precondition-failed", "too-large", "rate-limited"],
  });

/** Where projects stand, and what one session hands to the next. */
export const projectRoutes = (ports: MemoryPorts) => {
  // What is told of projects is for everybody who works on them: it belongs to the scope `shared`.
  const allow = async (request: Request, need: Need): Promise<Access> => {
    const access = await authorize(ports.access, request, need);
    requireScope(access, SHARED_SCOPE);
    return access;
  };
  const mayRead = authenticateFirst((request) => allow(request, "read"));
  const mayWrite = authenticateFirst((request) => allow(request, "write"));
  return new Elysia({ name: "memory-projects", tags: ["projects"] })
    .get(
      "/state/:project",
      async ({ params, request, set }) => {
        await allow(request, "read");
        return withEtag(set, await getState(ports, params.project));
      },
      {
        ...mayRead.plain,
        params,
        ...documented({
          summary: "Where a project stands",
          description: "The ETag is the revision; send it as If-Match with a change.",
          response: StateShape,
          errors: ["not-found", "unauthorized", "forbidden"],
        }),
      },
    )
    .put(
      "/state/:project",
      async ({ params, body, headers, request, set }) => {
        const access = await allow(request, "write");
        const change = { project: params.project, body, expected: expected(headers), merge: false };
        return withEtag(set, await changeState(ports, access, change));
      },
      { ...mayWrite.json, params, body: StateBody, ...stateDocs("Replaces the state of a project") },
    )
    .patch(
      "/state/:project",
      async ({ params, body, headers, request, set }) => {
        const access = await allow(request, "write");
        const change = { project: params.project, body, expected: expected(headers), merge: true };
        return withEtag(set, await changeState(ports, access, change));
      },
      {
        ...mayWrite.json,
        params,
        body: StateBody,
        ...stateDocs("Changes members of the state of a project", "A member that is null is taken out."),
      },
    )
    .post(
      "/state/:project/events",
      async ({ params, body, headers, request, set }) => {
        const access = await allow(request, "write");
        return withEtag(
          set,
          await addEvent(ports, access, { project: params.project, body, expected: expected(headers) }),
        );
      },
      {
        ...mayWrite.json,
        params,
        body: t.Record(t.String(), t.Unknown()),
        ...stateDocs("Notes an event in the state of a project"),
      },
    )
    .post(
      "/state/:project/resolve",
      async ({ params, body, headers, request, set }): Promise<StateView> => {
        const access = await allow(request, "write");
        const change = { project: params.project, body: body ?? {}, expected: expected(headers) };
        const { learningId, ...state } = await resolveState(ports, access, change);
        return { ...withEtag(set, state), ...(learningId === undefined ? {} : { learningId }) };
      },
      {
        ...mayWrite.json,
        params,
        body: t.Optional(t.Record(t.String(), t.Unknown())),
        ...stateDocs(
          "Closes the state of a project",
          "`persistToLearn: true` keeps what it says as a learning.",
        ),
      },
    )
    .get(
      "/state/:project/revisions",
      async ({ params, query, request }): Promise<Static<typeof RevisionsAnswer>> => {
        await allow(request, "read");
        const revisions = await ports.stores.states.revisions(params.project, query.limit ?? 20);
        return { revisions: revisions.map(viewState) };
      },
      {
        ...mayRead.plain,
        params,
        query: t.Object({ limit: t.Optional(t.Integer({ minimum: 1, maximum: 200 })) }),
        ...documented({
          summary: "How the state of a project came about, newest first",
          response: RevisionsAnswer,
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .post(
      "/handoff",
      async ({ body, request }) => viewHandoff(await putHandoff(ports, await allow(request, "write"), body)),
      {
        ...mayWrite.json,
        body: HandoffBody,
        ...documented({
          summary: "Stores the handoff of a session",
          auth: true,
          response: HandoffView,
          errors: ["bad-data", "unauthorized", "forbidden", "too-large", "rate-limited"],
        }),
      },
    )
    .get(
      "/handoff/:id",
      async ({ params, query, request }) => {
        await allow(request, "read");
        const handoff = await getHandoff(ports, params.id);
        if (query.format !== "markdown") return viewHandoff(handoff);
        return new Response(handoffMarkdown(handoff), {
          headers: { "content-type": "text/markdown; charset=utf-8" },
        });
      },
      {
        ...mayRead.plain,
        query: t.Object({ format: t.Optional(t.Union([t.Literal("json"), t.Literal("markdown")])) }),
        ...documented({
          summary: "One handoff, by its id or its session's",
          response: HandoffView,
          errors: ["not-found", "bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .get(
      "/handoffs",
      async ({ query, request }): Promise<Static<typeof HandoffsAnswer>> => {
        await allow(request, "read");
        return { handoffs: (await ports.stores.handoffs.list(query.limit ?? 20)).map(viewHandoff) };
      },
      {
        ...mayRead.plain,
        query: t.Object({ limit: t.Optional(t.Integer({ minimum: 1, maximum: 200 })) }),
        ...documented({
          summary: "The latest handoffs",
          response: HandoffsAnswer,
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    );
};
