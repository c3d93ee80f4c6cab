import type { ErrorCode } from "../../core/error-codes.ts";
import { type Static, type TSchema, Type } from "../../core/schema.ts";
import { ERROR_CODES } from "../../core/error-codes.ts";
import { PROBLEM_TYPE } from "./problem.ts";

/** What the OpenAPI document says of a route beside its input schemas and the tag of its group. */
export type RouteDocs = {
  summary: string;
  description?: string;
  status?: number;
  contentType?: string;
  response: TSchema;
  /** the failures that a caller should expect beside 500 */
  errors: readonly ErrorCode[];
  /** whether the route asks for a bearer token */
  auth?: boolean;
  tool?: RouteTool;
};

/** The answer of a route that has nothing to tell but that it is done. */
export const Done = Type.Object({ ok: Type.Boolean() });
export type Done = Static<typeof Done>;

/** Offers a route to browser agents, through the companion (docs/companion.md). */
export type RouteTool = {
  /** the tool's name, and the operation's id */
  name: string;
  /** the tool changes something: a person has to approve each call */
  changes?: boolean;
  /** the body that an agent may send, where the route itself takes more than a tool's input can say */
  body?: { required: boolean; schema: object };
};

/** Where an operation of the OpenAPI document keeps what it is as a tool. */
export const TOOL_EXTENSION = "x-nightshift-tool";
export type ToolExtension = {
  flags: Record<string, true>;
  body: NonNullable<RouteTool["body"]>;
};

const problemSchema = {
  type: "object" as const,
  required: ["type", "title", "status", "detail", "error", "code", "errors"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    error: { type: "string" },
    code: { type: "string" },
    requestId: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, message: { type: "string" } },
        // What a fault has to tell beside, as `limit` and `value`.
        additionalProperties: true,
      },
    },
  },
  // What an error has to tell beside, as `retryAfterSeconds`.
  additionalProperties: true,
};

type Responses = Record<
  string,
  { description: string; content: Record<string, { schema: object; example?: object }> }
>;

/** The `detail` of an Elysia route: documentation only, so that answers are not validated a second time. */
export const documented = (docs: RouteDocs) => {
  const responses: Responses = {
    [docs.status ?? 200]: {
      description: docs.summary,
      content: { [docs.contentType ?? "application/json"]: { schema: docs.response } },
    },
  };
  for (const code of docs.errors) responses[ERROR_CODES[code].status] = problemDocs(code);
  return {
    detail: {
      summary: docs.summary,
      ...(docs.description === undefined ? {} : { description: docs.description }),
      ...(docs.auth ? { security: [{ bearer: [] }] } : {}),
      ...(docs.tool === undefined ? {} : toolFields(docs.tool)),
      responses,
    },
  };
};

const toolFields = ({ name, changes = false, body }: RouteTool): Record<string, unknown> => {
  const flags = { "x-webmcp-enabled": true, ...(changes ? { "x-webmcp-approval-required": true } : {}) };
  // With a body of its own the tool is only in the companion's document: there the body takes its place.
  return { operationId: name, ...(body === undefined ? flags : { [TOOL_EXTENSION]: { flags, body } }) };
};

const problemDocs = (code: ErrorCode): Responses[string] => ({
  description: ERROR_CODES[code].title,
  content: {
    [PROBLEM_TYPE]: {
      schema: problemSchema,
      example: {
        type: `urn:nightshift:problem:${code}`,
        title: ERROR_CODES[code].title,
        status: ERROR_CODES[code].status,
        detail: ERROR_CODES[code].title,
        error: ERROR_CODES[code].title,
        code,
        errors: [],
      },
    },
  },
});
