import { expect, test } from "vitest";
import {
  documentOf,
  flags,
  getWith,
  problemsOf,
  type Refusal,
  writeFlags,
} from "./fixtures/small-documents.ts";

const object = { type: "object", additionalProperties: false } as const;
const refusals: Refusal[] = [
  ["OpenAPI 3.0", { openapi: "3.0.3", paths: {} }, "openapi-version", "/openapi"],
  ["PUT", documentOf({ "/x": { put: { operationId: "x", ...writeFlags } } }), "method", "/paths/~1x/put"],
  [
    "PATCH",
    documentOf({ "/x": { patch: { operationId: "x", ...writeFlags } } }),
    "method",
    "/paths/~1x/patch",
  ],
  ["HEAD", documentOf({ "/x": { head: { operationId: "x", ...flags } } }), "method", "/paths/~1x/head"],
  [
    "a misspelt method",
    documentOf({ "/x": { GETS: { operationId: "x", ...flags } } }),
    "method",
    "/paths/~1x/GETS",
  ],
  [
    "a flag in quotes",
    documentOf({ "/x": { get: { operationId: "x", "x-webmcp-enabled": "true" } } }),
    "enabled-flag",
    "/paths/~1x/get/x-webmcp-enabled",
  ],
  ["a flag on the path", documentOf({ "/x": { ...flags } }), "enabled-flag", "/paths/~1x/x-webmcp-enabled"],
  [
    "a POST without approval",
    documentOf({
      "/x": {
        post: {
          operationId: "x",
          ...flags,
          requestBody: { content: { "application/json": { schema: object } } },
        },
      },
    }),
    "approval-flag",
    "/paths/~1x/post",
  ],
  [
    "a DELETE without approval",
    documentOf({ "/x": { delete: { operationId: "x", ...flags } } }),
    "approval-flag",
    "/paths/~1x/delete",
  ],
  [
    "a GET with approval",
    documentOf({ "/x": { get: { operationId: "x", ...writeFlags } } }),
    "approval-flag",
    "/paths/~1x/get/x-webmcp-approval-required",
  ],
  ["no operationId", documentOf({ "/x": { get: { ...flags } } }), "operation-id", "/paths/~1x/get"],
  [
    "a name the standard forbids",
    documentOf({ "/x": { get: { operationId: "a b", ...flags } } }),
    "operation-id",
    "/paths/~1x/get/operationId",
  ],
  [
    "a name that a URL swallows",
    documentOf({ "/x": { get: { operationId: "..", ...flags } } }),
    "operation-id",
    "/paths/~1x/get/operationId",
  ],
  [
    "a name taken twice",
    documentOf({
      "/x": { get: { operationId: "x", ...flags } },
      "/y": { get: { operationId: "x", ...flags } },
    }),
    "duplicate-name",
    "/paths/~1y/get/operationId",
  ],
  [
    "an invisible character",
    documentOf({ "/x": { get: { operationId: "x", ...flags, description: "List\u200Bbooks" } } }),
    "hidden-text",
    "/paths/~1x/get/description",
  ],
  [
    "a header parameter",
    getWith({ type: "string" }, { in: "header" }),
    "parameter-location",
    "/paths/~1x/get/parameters/0/in",
  ],
  [
    "a cookie parameter",
    getWith({ type: "string" }, { in: "cookie" }),
    "parameter-location",
    "/paths/~1x/get/parameters/0/in",
  ],
  [
    "a parameter with content",
    getWith(undefined, { content: {} }),
    "parameter-style",
    "/paths/~1x/get/parameters/0/content",
  ],
  [
    "deepObject",
    getWith({ type: "string" }, { style: "deepObject" }),
    "parameter-style",
    "/paths/~1x/get/parameters/0/style",
  ],
  [
    "explode: false",
    getWith({ type: "string" }, { explode: false }),
    "parameter-style",
    "/paths/~1x/get/parameters/0/explode",
  ],
  [
    "allowReserved",
    getWith({ type: "string" }, { allowReserved: true }),
    "parameter-style",
    "/paths/~1x/get/parameters/0/allowReserved",
  ],
  [
    "the reserved name body",
    getWith({ type: "string" }, { name: "body" }),
    "parameter-name",
    "/paths/~1x/get/parameters/0/name",
  ],
  [
    "one name in path and query",
    documentOf({
      "/x/{q}": {
        get: {
          operationId: "x",
          ...flags,
          parameters: [
            { name: "q", in: "path", required: true, schema: { type: "string" } },
            { name: "q", in: "query", schema: { type: "string" } },
          ],
        },
      },
    }),
    "parameter-name",
    "/paths/~1x~1{q}/get/parameters",
  ],
  [
    "an optional path parameter",
    documentOf({
      "/x/{q}": {
        get: {
          operationId: "x",
          ...flags,
          parameters: [{ name: "q", in: "path", schema: { type: "string" } }],
        },
      },
    }),
    "parameter-required",
    "/paths/~1x~1{q}/get/parameters/0/required",
  ],
  [
    "a template without its parameter",
    documentOf({ "/x/{q}": { get: { operationId: "x", ...flags } } }),
    "path-template",
    "/paths/~1x~1{q}",
  ],
  [
    "a path parameter outside the template",
    documentOf({
      "/x": {
        get: {
          operationId: "x",
          ...flags,
          parameters: [{ name: "q", in: "path", required: true, schema: { type: "string" } }],
        },
      },
    }),
    "path-template",
    "/paths/~1x",
  ],
  [
    "a path that leaves the origin",
    documentOf({ "//evil.test/x": { get: { operationId: "x", ...flags } } }),
    "path-template",
    "/paths/~1~1evil.test~1x",
  ],
  [
    "a path with dot segments",
    documentOf({ "/a/../x": { get: { operationId: "x", ...flags } } }),
    "path-template",
    "/paths/~1a~1..~1x",
  ],
  [
    "a path with a query",
    documentOf({ "/a?b=c": { get: { operationId: "x", ...flags } } }),
    "path-template",
    "/paths/~1a?b=c",
  ],
  [
    "unpaired braces",
    documentOf({ "/a/{b": { get: { operationId: "x", ...flags } } }),
    "path-template",
    "/paths/~1a~1{b",
  ],
  [
    "a GET with a body",
    documentOf({ "/x": { get: { operationId: "x", ...flags, requestBody: { content: {} } } } }),
    "request-body",
    "/paths/~1x/get/requestBody",
  ],
  [
    "a DELETE with a body",
    documentOf({ "/x": { delete: { operationId: "x", ...writeFlags, requestBody: { content: {} } } } }),
    "request-body",
    "/paths/~1x/delete/requestBody",
  ],
  [
    "a POST without a body",
    documentOf({ "/x": { post: { operationId: "x", ...writeFlags } } }),
    "request-body",
    "/paths/~1x/post",
  ],
  [
    "two media types",
    documentOf({
      "/x": {
        post: {
          operationId: "x",
          ...writeFlags,
          requestBody: { content: { "application/json": { schema: object }, "text/plain": {} } },
        },
      },
    }),
    "media-type",
    "/paths/~1x/post/requestBody/content",
  ],
];

test.each(refusals)("%s is refused where it stands", (_, document, rule, pointer) => {
  const problems = problemsOf(document);
  expect(problems.map((problem) => [problem.rule, problem.pointer])).toEqual([[rule, pointer]]);
  expect(problems[0]?.message).not.toBe("");
  expect(problems[0]?.fix).toMatch(/^[A-Z]/);
});

test("every problem of every enabled operation is reported at once, each with its operation", () => {
  const problems = problemsOf(
    documentOf({
      "/a": {
        put: { operationId: "a", ...writeFlags },
        get: { ...flags, parameters: [{ name: "q", in: "header" }] },
      },
      "/b": {
        post: {
          operationId: "b",
          ...flags,
          requestBody: { content: { "application/json": { schema: {} } } },
        },
      },
    }),
  );
  expect(problems.map(({ operation, rule }) => `${operation} ${rule}`)).toEqual([
    "GET /a operation-id",
    "GET /a parameter-location",
    "PUT /a method",
    "POST /b approval-flag",
    "POST /b schema-type",
  ]);
});
