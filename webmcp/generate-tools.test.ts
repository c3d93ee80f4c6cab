import * as fc from "fast-check";
import { expect, test } from "vitest";
import { explainDocument } from "./explain.ts";
import { libraryDocument } from "./fixtures/library-document.ts";
import { documentOf, flags, getWith, postWith, problemsOf, writeFlags } from "./fixtures/small-documents.ts";
import { generateTools } from "./generate-tools.ts";
import type { OpenApiDocument } from "./types.ts";

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
};

test("tools come in the same order, however the keys of the document are ordered", () => {
  const names = (document: unknown) => generateTools(document as OpenApiDocument).map(({ name }) => name);
  expect(names(reversed(libraryDocument()))).toEqual(names(libraryDocument()));
});

test("a reference in the place of a path, beside an enabled operation or in front of one, is refused", () => {
  const beside = problemsOf(documentOf({ "/a": { $ref: "#/components/pathItems/a", get } }));
  const behind = problemsOf(
    documentOf(
      { "/a": { $ref: "#/components/pathItems/a~1b" } },
      { components: { pathItems: { "a/b": { get } } } },
    ),
  );
  for (const problems of [beside, behind])
    expect(problems).toMatchObject([{ operation: "/a", pointer: "/paths/~1a/$ref", rule: "reference" }]);
});

const get = { operationId: "x", ...flags };

test.each<[string, Record<string, unknown>, string, string]>([
  ["another file", { "/a": { $ref: "./a.yaml" } }, "/a", "/paths/~1a/$ref"],
  ["another host", { "/a": { $ref: "https://a.test/a.json#/a" } }, "/a", "/paths/~1a/$ref"],
  ["nothing", { "/a": { $ref: "#/components/pathItems/none" } }, "/a", "/paths/~1a/$ref"],
  ["no address at all", { "/a": { $ref: { file: "a" } } }, "/a", "/paths/~1a/$ref"],
  [
    "another file, behind two steps",
    { "/a": { $ref: "#/components/pathItems/far" } },
    "/a",
    "/paths/~1a/$ref",
  ],
  ["an operation elsewhere", { "/a": { get: { $ref: "./a.yaml" } } }, "GET /a", "/paths/~1a/get/$ref"],
  ["an enabled operation", { "/a": { get: { $ref: "#/components/get" } } }, "GET /a", "/paths/~1a/get/$ref"],
  ["paths elsewhere", { $ref: "./paths.yaml" }, "", "/paths/$ref"],
])("a reference to %s may hide an enabled operation, and fails the build", (_, paths, operation, pointer) => {
  const components = {
    get,
    pathItems: { far: { $ref: "#/components/pathItems/near" }, near: { $ref: "b.yaml" } },
  };
  expect(problemsOf(documentOf(paths, { components }))).toMatchObject([
    { operation, pointer, rule: "reference" },
  ]);
});

test("a reference within the document to what enables nothing fails no build, a circle neither", () => {
  const pathItems = {
    plain: { get: { operationId: "y", parameters: [{ $ref: "./parameters.yaml" }] } },
    circle: { $ref: "#/components/pathItems/circle" },
  };
  const paths = {
    "/a": { $ref: "#/components/pathItems/plain" },
    "/b": { $ref: "#/components/pathItems/circle" },
    "/c": { get: { $ref: "./c.yaml", "x-webmcp-enabled": false } },
    "/d": { get },
  };
  const tools = generateTools(documentOf(paths, { components: { pathItems } }));
  expect(tools.map(({ name }) => name)).toEqual(["x"]);
});

test("a name that is taken is told beside whatever else is wrong with its operation", () => {
  const rules = problemsOf(documentOf({ "/a": { get }, "/b": { get: { ...get, parameters: 7 } } })).map(
    ({ rule }) => rule,
  );
  expect(rules.sort()).toEqual(["duplicate-name", "parameter"]);
});

test("every enabled operation becomes a tool", () => {
  const tools = generateTools(libraryDocument());
  expect(tools.map((tool) => tool.name)).toEqual(["listBooks", "addBook", "getBook", "removeBook"]);
  expect(tools[0]).toEqual({
    name: "listBooks",
    title: "List books",
    description: "Lists the books of the library, newest first.",
    inputSchema: {
      type: "object",
      properties: {
        author: {
          type: "string",
          maxLength: 80,
          pattern: "^(?:.+)+$",
          description: "Only books by this author.",
        },
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

test("a pattern that would stall a backtracking engine is accepted as it is", () => {
  const schema = { type: "string", pattern: "^(a+)+$" };
  const [tool] = generateTools(getWith(schema));
  expect(tool?.inputSchema.properties["q"]).toEqual(schema);
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
      documentOf(
        {
          "/a": { put: { parameters: "nonsense" }, post: { requestBody: 7, "x-webmcp-enabled": false } },
          "/b": { get: { parameters: [{ $ref: "#/x" }] }, parameters: [{ in: "cookie" }] },
          "/c": { $ref: "#/elsewhere" },
          "/d": null,
        },
        { elsewhere: { get: { operationId: "e" } } },
      ),
    ),
  ).toEqual([]);
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
