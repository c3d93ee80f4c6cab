import { Elysia, t } from "elysia";
import { documented } from "../http/route-docs.ts";
import { authorize, authorizeFirst } from "../auth/memory-access.ts";
import { InjectAnswer, LearnAnswer, OutcomeAnswer, QueryAnswer, TraceAnswer } from "./answers/answers.ts";
import {
  answerInject,
  answerLearn,
  answerOutcome,
  answerQuery,
  answerTrace,
  type MemoryPorts,
} from "./answers/ask.ts";
import { InjectBody, LearnBody, LEARN_TOOL_BODY, OutcomeBody, QueryBody } from "./answers/schemas.ts";

/** The memory: what an agent asks before it starts, and what it leaves for the next one. */
export const memoryRoutes = (ports: MemoryPorts) => {
  const mayRead = authorizeFirst(ports.access, "read");
  const mayWrite = authorizeFirst(ports.access, "write");
  return new Elysia({ name: "memory", tags: ["memory"] })
    .post(
      "/inject",
      async ({ body, request }) => answerInject(ports, await authorize(ports.access, request, "read"), body),
      {
        ...mayRead.json,
        body: InjectBody,
        ...documented({
          summary: "The learnings that fit a context, or none",
          description:
            "Once per session. Nothing is given when the evidence is weak (`abstained` says why). `receipt` is for POST /outcome. Needs no key on the server's own machine.",
          response: InjectAnswer,
          errors: ["bad-data", "unauthorized", "forbidden", "too-large"],
        }),
      },
    )
    .post(
      "/learn",
      async ({ body, request, headers }) =>
        answerLearn(ports, await authorize(ports.access, request, "write"), {
          body,
          idempotencyKey: headers["idempotency-key"],
        }),
      {
        ...mayWrite.json,
        body: LearnBody,
        ...documented({
          summary: "Stores a learning",
          tool: { name: "learn", changes: true, body: { required: true, schema: LEARN_TOOL_BODY } },
          description:
            "The same text again strengthens the first one (`status: merged`). It is found by the next request. Secrets are replaced before anything is stored.",
          auth: true,
          response: LearnAnswer,
          errors: [
            "bad-data",
            "unauthorized",
            "forbidden",
            "conflict",
            "too-large",
            "rate-limited",
            "storage-full",
          ],
        }),
      },
    )
    .get(
      "/query",
      async ({ query, request }) => answerQuery(ports, await authorize(ports.access, request, "read"), query),
      {
        ...mayRead.plain,
        // Elysia's own types: a query's numbers are texts, which only these turn into numbers.
        query: t.Object({
          context: t.String({ minLength: 1, maxLength: 4000, description: "what you are about to do" }),
          limit: t.Optional(t.Integer({ minimum: 1, maximum: 50, description: "default 5" })),
          project: t.Optional(
            t.String({ maxLength: 300, description: "only learnings of this project and of none" }),
          ),
        }),
        ...documented({
          summary: "Search the memory: the best learnings for a context",
          tool: { name: "searchMemory" },
          response: QueryAnswer,
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .post(
      "/query",
      async ({ body, request }) => answerQuery(ports, await authorize(ports.access, request, "read"), body),
      {
        ...mayRead.json,
        body: QueryBody,
        ...documented({
          summary: "The best learnings for a context, however weak the evidence",
          response: QueryAnswer,
          errors: ["bad-data", "unauthorized", "forbidden", "too-large"],
        }),
      },
    )
    .post(
      "/inject/trace",
      async ({ body, request }) => answerTrace(ports, await authorize(ports.access, request, "read"), body),
      {
        ...mayRead.json,
        body: InjectBody,
        ...documented({
          summary: "Every candidate for a context with its numbers",
          response: TraceAnswer,
          errors: ["bad-data", "unauthorized", "forbidden", "too-large"],
        }),
      },
    )
    .post(
      "/outcome",
      async ({ body, request }) =>
        answerOutcome(ports, await authorize(ports.access, request, "write"), {
          receipt: body.receipt ?? body.injection_id,
          outcome: body.outcome,
        }),
      {
        ...mayWrite.json,
        body: OutcomeBody,
        ...documented({
          summary: "Says how the session went that a receipt belongs to",
          description:
            "Credits exactly the learnings that were injected. Saying it again changes nothing; saying the opposite replaces it.",
          auth: true,
          response: OutcomeAnswer,
          errors: ["bad-data", "unauthorized", "forbidden", "rate-limited"],
        }),
      },
    );
};
