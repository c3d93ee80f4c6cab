import { Elysia, t } from "elysia";
import { Type } from "../../../core/schema.ts";
import { documented } from "../../http/route-docs.ts";
import { authorize, authorizeFirst } from "../../auth/memory-access.ts";
import { answerFeedback, answerNeighbours, getLearning, type MemoryPorts } from "../answers/ask.ts";
import { DeleteAnswer, FeedbackAnswer, NeighboursAnswer } from "../answers/answers.ts";
import { LearningShape } from "../answers/schemas.ts";
import { viewLearning } from "../answers/views.ts";
import {
  answerDelete,
  answerDeleteMany,
  answerList,
  answerStats,
  DeleteManyAnswer,
  ListAnswer,
  StatsAnswer,
} from "./entries.ts";
import { exportLines, importLines } from "./transfer.ts";

const Filter = {
  scope: t.Optional(t.String({ maxLength: 100 })),
  project: t.Optional(t.String({ maxLength: 300 })),
  type: t.Optional(t.Union([t.Literal("learning"), t.Literal("failure"), t.Literal("state")])),
  marker: t.Optional(t.String({ maxLength: 300 })),
  writer: t.Optional(t.String({ maxLength: 100 })),
};
const NDJSON = "application/x-ndjson";

/** Reading, correcting and moving what is stored. */
export const entryRoutes = (ports: MemoryPorts) => {
  const mayRead = authorizeFirst(ports.access, "read");
  const mayWrite = authorizeFirst(ports.access, "write");
  return new Elysia({ name: "memory-entries", tags: ["memory"] })
    .get(
      "/learnings",
      async ({ query, request }) => answerList(ports, await authorize(ports.access, request, "read"), query),
      {
        ...mayRead.plain,
        query: t.Object({
          ...Filter,
          limit: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
          offset: t.Optional(t.Integer({ minimum: 0 })),
          shape: t.Optional(t.Union([t.Literal("page"), t.Literal("array")])),
        }),
        ...documented({
          summary: "Stored learnings, newest first, in pages",
          description: "`shape=array` answers with the bare array that some older clients expect.",
          response: ListAnswer,
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .delete(
      "/learnings",
      async ({ query, request }) =>
        answerDeleteMany(ports, await authorize(ports.access, request, "write"), query),
      {
        ...mayWrite.plain,
        query: t.Object({
          ...Filter,
          confidence_lt: t.Optional(t.Number({ minimum: 0, maximum: 1 })),
          not_verified_in_days: t.Optional(t.Integer({ minimum: 0 })),
          purge: t.Optional(t.Boolean()),
        }),
        ...documented({
          summary: "Deletes every learning that fits the filters (at least one)",
          description: "Undo brings them back, unless `purge=true` erased their history too.",
          auth: true,
          response: DeleteManyAnswer,
          errors: ["bad-data", "unauthorized", "forbidden", "rate-limited"],
        }),
      },
    )
    .get(
      "/learnings/export",
      async ({ query, request }) => {
        const access = await authorize(ports.access, request, "read");
        return new Response(exportLines(ports, access, query), { headers: { "content-type": NDJSON } });
      },
      {
        ...mayRead.plain,
        query: t.Object(Filter),
        ...documented({
          summary: "Every learning as JSON lines, oldest first",
          contentType: NDJSON,
          response: Type.String(),
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .post(
      "/learnings/import",
      async ({ request }) => importLines(ports, await authorize(ports.access, request, "write"), request),
      {
        parse: "none",
        ...documented({
          summary: "Stores learnings given as JSON lines; none while any line has a fault",
          description:
            "Takes what /learnings/export gives; what is there already is merged, so an import that broke off is sent again. Up to 64 MiB.",
          auth: true,
          response: Type.Object({ stored: Type.Integer(), merged: Type.Integer() }),
          errors: ["bad-data", "unauthorized", "forbidden", "too-large", "rate-limited", "storage-full"],
        }),
      },
    )
    .get(
      "/learning/:id",
      async ({ params, request }) =>
        viewLearning(await getLearning(ports, await authorize(ports.access, request, "read"), params.id)),
      documented({
        summary: "One learning",
        tool: { name: "getLearning" },
        response: LearningShape,
        errors: ["not-found", "unauthorized", "forbidden"],
      }),
    )
    .delete(
      "/learning/:id",
      async ({ params, query, request }) =>
        answerDelete(ports, await authorize(ports.access, request, "write"), {
          id: params.id,
          purge: query.purge ?? false,
        }),
      {
        ...mayWrite.plain,
        query: t.Object({ purge: t.Optional(t.Boolean()) }),
        ...documented({
          summary: "Deletes one learning",
          tool: { name: "forget", changes: true },
          auth: true,
          response: DeleteAnswer,
          errors: ["not-found", "unauthorized", "forbidden", "rate-limited"],
        }),
      },
    )
    .get(
      "/learning/:id/neighbors",
      async ({ params, query, request }) =>
        answerNeighbours(ports, await authorize(ports.access, request, "read"), {
          id: params.id,
          limit: query.limit ?? 10,
          threshold: query.threshold ?? 0.3,
        }),
      {
        ...mayRead.plain,
        query: t.Object({
          limit: t.Optional(t.Integer({ minimum: 1, maximum: 50 })),
          threshold: t.Optional(t.Number({ minimum: 0, maximum: 1 })),
        }),
        ...documented({
          summary: "Learnings that say something similar",
          response: NeighboursAnswer,
          errors: ["not-found", "unauthorized", "forbidden", "bad-data"],
        }),
      },
    )
    .post(
      "/learning/:id/:verdict",
      async ({ params, request }) =>
        answerFeedback(ports, await authorize(ports.access, request, "write"), params),
      {
        ...mayWrite.plain,
        params: t.Object({
          id: t.String(),
          verdict: t.Union([t.Literal("confirm"), t.Literal("reject"), t.Literal("verify")]),
        }),
        ...documented({
          summary: "Says that a learning is right (confirm), wrong (reject), or still true (verify)",
          description:
            "Confirm adds 0.1 to its confidence and reject takes 0.15; confirm and verify make it fresh.",
          auth: true,
          response: FeedbackAnswer,
          errors: ["not-found", "bad-data", "unauthorized", "forbidden", "rate-limited"],
        }),
      },
    )
    .get(
      "/stats",
      async ({ request }) => answerStats(ports, await authorize(ports.access, request, "read")),
      documented({
        summary: "How much is stored",
        response: StatsAnswer,
        errors: ["unauthorized", "forbidden"],
      }),
    );
};
