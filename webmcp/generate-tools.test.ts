import * as fc from "fast-check";
import { expect, test } from "vitest";
import { WebMcpCompileError, type CompileProblem } from "./errors.ts";
import { libraryDocument } from "./fixtures/library-document.ts";
import { explainDocument } from "./explain.ts";
import { generateTools } from "./generate-tools.ts";
import type { OpenApiDocument } from "./types.ts";

const flags = { "x-webmcp-enabled": true };
const writeFlags = { ...flags, "x-webmcp-approval-required": true };

const documentOf = (paths: Record<string, unknown>, more: object = {}): OpenApiDocument => ({
  openapi: "3.1.0",
  paths,
  ...more,
});

const problemsOf = (document: OpenApiDocument): readonly CompileProblem[] => {
  try {
    generateTools(document);
  } catch (error) {
    if (error instanceof WebMcpCompileError) return error.problems;
    throw error;
  }
  return [];
};

const getWith = (schema: unknown, parameter: object = {}): OpenApiDocument =>
  documentOf({
    "/x": {
      get: { operationId: "x", ...flags, parameters: [{ name: "q", in: "query", schema, ...parameter }] },
    },
  });

const postWith = (schema: unknown): OpenApiDocument =>
  documentOf({
    "/x": {
      post: { operationId: "x", ...writeFlags, requestBody: { content: { "application/json": { schema } } } },
    },
  });

test("every enabled operation becomes a tool, in the order of the document", () => {
  const tools = generateTools(libraryDocument());
  expect(tools.map((tool) => tool.name)).toEqual(["listBooks", "addBook", "getBook", "removeBook"]);
  expect(tools[0]).toEqual({
    name: "listBooks",
    title: "List books",
    description: "Lists the books of the library, newest first.",
    inputSchema: {
      type: "object",
      properties: {
        author: { type: "string", maxLength: 80, description: "Only books by this author." },
        limit: { type: "integer", minimum: 1, maximum: 50 },
      },
      required: [],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, consequentialHint: false, untrustedContentHint: true },
    operation: {
      method: "GET",
      path: "/books",
      pathParameters: [],
      queryParameters: ["author", "limit"],
      hasBody: false,
      requiresApproval: false,
    },
  });
});

test("a POST carries its JSON body under body and is marked as consequential", () => {
  const tool = generateTools(libraryDocument()).find(({ name }) => name === "addBook");
  expect(tool?.inputSchema.required).toEqual(["body"]);
  expect(tool?.annotations).toEqual({
    readOnlyHint: false,
    consequentialHint: true,
    untrustedContentHint: true,
  });
  expect(tool?.operation).toMatchObject({ method: "POST", hasBody: true, requiresApproval: true });
});

test("an array without a bound gets one, and the tool's schema states it", () => {
  const [tool] = generateTools(postWith({ type: "array", items: { type: "string" } }));
  expect(tool?.inputSchema.properties["body"]).toEqual({
    type: "array",
    items: { type: "string" },
    maxItems: 100,
  });
});

test("a pattern that is slow on long texts gets a bound on their length", () => {
  const [tool] = generateTools(getWith({ type: "string", pattern: "^.*foo.*$" }));
  expect(tool?.inputSchema.properties["q"]).toMatchObject({ maxLength: 1024 });
  expect(problemsOf(getWith({ type: "string", pattern: "^.*foo.*$", maxLength: 50_000 }))).toMatchObject([
    { rule: "pattern", pointer: "/paths/~1x/get/parameters/0/schema/pattern" },
  ]);
});

test("keywords that only annotate change nothing", () => {
  const plain = generateTools(getWith({ type: "string" }));
  const annotated = generateTools(
    getWith({
      type: "string",
      title: "T",
      format: "date",
      examples: ["a"],
      default: "b",
      deprecated: true,
      "x-a": 1,
    }),
  );
  expect(annotated).toEqual(plain);
});

test("path parameters of the path item count for each of its operations", () => {
  const tool = generateTools(libraryDocument()).find(({ name }) => name === "removeBook");
  expect(tool?.operation.pathParameters).toEqual(["id"]);
  expect(tool?.inputSchema.required).toEqual(["id"]);
});

test("without a description the summary speaks, without either the method and path", () => {
  const describe = (texts: object): unknown[] =>
    generateTools(documentOf({ "/x": { get: { operationId: "x", ...flags, ...texts } } })).map(
      ({ title, description }) => [title, description],
    );
  expect(describe({ summary: "Short" })).toEqual([[undefined, "Short"]]);
  expect(describe({ description: "" })).toEqual([[undefined, "GET /x"]]);
});

test("the same document gives the same bytes", () => {
  expect(JSON.stringify(generateTools(libraryDocument()))).toBe(
    JSON.stringify(generateTools(libraryDocument())),
  );
});

test("a disabled operation never fails the build, whatever it holds", () => {
  expect(
    generateTools(
      documentOf({
        "/a": { put: { parameters: "nonsense" }, post: { requestBody: 7, "x-webmcp-enabled": false } },
        "/b": { get: { parameters: [{ $ref: "#/x" }] }, parameters: [{ in: "cookie" }] },
        "/c": { $ref: "#/elsewhere" },
        "/d": null,
      }),
    ),
  ).toEqual([]);
});

const object = { type: "object", additionalProperties: false } as const;
const refusals: [title: string, document: OpenApiDocument, rule: string, pointer: string][] = [
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
    "a bidi mark in a parameter",
    getWith({ type: "string", description: "\u202Eabc" }),
    "hidden-text",
    "/paths/~1x/get/parameters/0/schema/description",
  ],
  [
    "a Unicode tag in an enum",
    getWith({ type: "string", enum: ["a\u{E0041}"] }),
    "hidden-text",
    "/paths/~1x/get/parameters/0/schema/enum/0",
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
    "an array parameter",
    getWith({ type: "array", items: { type: "string" } }),
    "parameter-schema",
    "/paths/~1x/get/parameters/0/schema/type",
  ],
  ["a parameter without a schema", getWith(undefined), "parameter-schema", "/paths/~1x/get/parameters/0"],
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
  [
    "a reference",
    postWith({ $ref: "#/components/schemas/X" }),
    "reference",
    "/paths/~1x/post/requestBody/content/application~1json/schema/$ref",
  ],
  [
    "anyOf",
    postWith({ anyOf: [object] }),
    "combined-schema",
    "/paths/~1x/post/requestBody/content/application~1json/schema/anyOf",
  ],
  [
    "an open object",
    postWith({ type: "object" }),
    "open-object",
    "/paths/~1x/post/requestBody/content/application~1json/schema",
  ],
  [
    "a type list",
    getWith({ type: ["string", "null"] }),
    "schema-type",
    "/paths/~1x/get/parameters/0/schema/type",
  ],
  ["no type", getWith({}), "schema-type", "/paths/~1x/get/parameters/0/schema"],
  [
    "an unknown keyword",
    getWith({ type: "string", nullable: true }),
    "schema-keyword",
    "/paths/~1x/get/parameters/0/schema/nullable",
  ],
  [
    "an array without items",
    postWith({ type: "array" }),
    "array-items",
    "/paths/~1x/post/requestBody/content/application~1json/schema",
  ],
  [
    "an undeclared required property",
    postWith({ ...object, required: ["constructor"] }),
    "required",
    "/paths/~1x/post/requestBody/content/application~1json/schema/required/0",
  ],
  [
    "contradictory bounds",
    getWith({ type: "integer", minimum: 5, maximum: 1 }),
    "bounds",
    "/paths/~1x/get/parameters/0/schema/maximum",
  ],
  [
    "a bound that is no number",
    getWith({ type: "string", maxLength: "9" }),
    "bounds",
    "/paths/~1x/get/parameters/0/schema/maxLength",
  ],
  [
    "an enum of another type",
    getWith({ type: "integer", enum: [1, "2"] }),
    "enum",
    "/paths/~1x/get/parameters/0/schema/enum/1",
  ],
  ["an empty enum", getWith({ type: "string", enum: [] }), "enum", "/paths/~1x/get/parameters/0/schema/enum"],
  [
    "a broken pattern",
    getWith({ type: "string", pattern: "(" }),
    "pattern",
    "/paths/~1x/get/parameters/0/schema/pattern",
  ],
  [
    "a catastrophic pattern",
    getWith({ type: "string", pattern: "^(a+)+$" }),
    "pattern",
    "/paths/~1x/get/parameters/0/schema/pattern",
  ],
];

test.each(refusals)("%s is refused where it stands", (_, document, rule, pointer) => {
  const problems = problemsOf(document);
  expect(problems.map((problem) => [problem.rule, problem.pointer])).toEqual([[rule, pointer]]);
  expect(problems[0]?.message).not.toBe("");
  expect(problems[0]?.fix).toMatch(/^[A-Z]/);
});

test("a schema that contains itself is refused instead of followed for ever", () => {
  const schema: Record<string, unknown> = { ...object, properties: {} };
  schema["properties"] = { again: schema };
  expect(problemsOf(postWith(schema)).map(({ rule }) => rule)).toEqual(["depth"]);
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
    "PUT /a method",
    "GET /a operation-id",
    "GET /a parameter-location",
    "POST /b approval-flag",
    "POST /b schema-type",
  ]);
});

test("a property named __proto__ stays a property", () => {
  const schema: unknown = JSON.parse(
    '{"type":"object","additionalProperties":false,"properties":{"__proto__":{"type":"string"}}}',
  );
  const body = generateTools(postWith(schema))[0]?.inputSchema.properties["body"];
  expect(Object.keys(body?.properties ?? {})).toEqual(["__proto__"]);
});

const WORDS =
  "get post delete put parameters requestBody content application/json schema type properties items required " +
  "name in query path object array string operationId x-webmcp-enabled x-webmcp-approval-required " +
  "additionalProperties enum $ref pattern maxItems /a/{b} /a b __proto__ constructor";
const words = fc.constantFrom("", ...WORDS.split(" "));
const anyJson = fc.anything({
  key: words,
  maxDepth: 7,
  maxKeys: 6,
  values: [words, fc.boolean(), fc.integer(), fc.constant(null), fc.constant("^(a+)+$")],
});

test("any JSON whatever is compiled or refused with reasons, never with a crash", () => {
  fc.assert(
    fc.property(anyJson, anyJson, (paths, operation) => {
      const flagged = { operationId: "x", ...writeFlags, ...(operation as object) };
      for (const document of [
        documentOf(paths as Record<string, unknown>),
        documentOf({ "/a/{b}": { post: flagged, get: flagged, parameters: paths } }),
      ]) {
        const refused = problemsOf(document).length;
        const { totals, documentProblems } = explainDocument(document);
        // Both tell the same: what fails the build is what explain calls refused.
        expect(refused > 0).toBe(totals.refused + documentProblems.length > 0);
      }
    }),
    { numRuns: 3000 },
  );
});
