import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildRequest } from "./build-request.ts";
import { WebMcpInputError } from "./errors.ts";
import { libraryDocument } from "./fixtures/library-document.ts";
import { generateTools } from "./generate-tools.ts";
import type { GeneratedTool } from "./types.ts";

const origin = "https://library.test";

const toolNamed = (name: string): GeneratedTool => {
  const tool = generateTools(libraryDocument()).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
};

test("puts values into path and query, encoded", () => {
  const request = buildRequest(toolNamed("listBooks"), { author: "Jón & Söhne?", limit: 5 }, origin);
  expect(request.method).toBe("GET");
  expect(request.url).toBe(`${origin}/books?author=J%C3%B3n+%26+S%C3%B6hne%3F&limit=5`);
  expect(buildRequest(toolNamed("getBook"), { id: "a b/c" }, origin).url).toBe(`${origin}/books/a%20b%2Fc`);
});

test("leaves out what is not given, also when it is undefined", () => {
  expect(buildRequest(toolNamed("listBooks"), { author: undefined }, origin).url).toBe(`${origin}/books`);
});

test("sends a POST as JSON", async () => {
  const request = buildRequest(toolNamed("addBook"), { body: { title: "Emma", year: 1815 } }, `${origin}/`);
  expect([request.method, request.headers.get("content-type")]).toEqual(["POST", "application/json"]);
  expect(await request.json()).toEqual({ title: "Emma", year: 1815 });
});

test("sends a DELETE without a body", async () => {
  const request = buildRequest(toolNamed("removeBook"), { id: "7" }, origin);
  expect([request.method, request.url, request.headers.has("content-type")]).toEqual([
    "DELETE",
    `${origin}/books/7`,
    false,
  ]);
  expect(await request.text()).toBe("");
});

test.each(["..", ".", "", "../x", "a/..", "..\\x", "a\nb", "\u0000", "\ud800"])(
  "refuses %j as a part of the path",
  (id) => {
    expect(() => buildRequest(toolNamed("getBook"), { id }, origin)).toThrow(WebMcpInputError);
  },
);

test("names every fault of an input and makes no request", () => {
  try {
    buildRequest(toolNamed("listBooks"), { limit: 99, colour: "red" }, origin);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({
      tool: "listBooks",
      faults: [
        { path: "/limit", reason: "must be at most 50" },
        { path: "/colour", reason: "is not a declared property" },
      ],
      message: "listBooks: input/limit must be at most 50; input/colour is not a declared property",
    });
  }
});

test.each([
  "https://user:pw@library.test",
  "https://library.test/api",
  "file:///etc",
  "library.test",
  "data:,x",
])("refuses %s as an origin", (wrong) => {
  expect(() => buildRequest(toolNamed("getBook"), { id: "1" }, wrong)).toThrow(TypeError);
});

const PATHS = [
  "/books/{id}",
  "/a/{id}/b/{part}",
  "/files/{id}.{part}",
  "/{id}{part}",
  "/{__proto__}/{constructor}",
  "/x-{id}/",
];

const HOSTILE =
  ".. . %2e%2e %2F a/../b \\ //evil.test @evil.test :80 ?x=1 #f é \ud800 __proto__ ; ..; % + &a=b \u202e 𝒳";
const hostile = fc.constantFrom(...HOSTILE.split(" "), "", " ", "a b", "\t");
const text = fc.oneof(
  hostile,
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.array(hostile, { maxLength: 3 }).map((parts) => parts.join("")),
);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
/** One value of each type, and sometimes one of none: the parameter's type picks. */
const candidates = fc.record({
  string: text,
  number: finite,
  integer: fc.integer(),
  boolean: fc.boolean(),
  stranger: fc.oneof(
    { weight: 9, arbitrary: fc.constant("none" as const) },
    fc
      .oneof(text, fc.double(), fc.boolean(), fc.jsonValue({ maxDepth: 1 }), fc.constant(undefined))
      .map((value) => ({
        value,
      })),
  ),
});

const toolFor = (
  path: string,
  types: readonly ("string" | "number" | "boolean" | "integer")[],
): GeneratedTool => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  const parameter = (name: string, index: number, location: string): object => ({
    name,
    in: location,
    required: location === "path",
    schema: { type: types[index % types.length] },
  });
  const operation = {
    operationId: "tool",
    "x-webmcp-enabled": true,
    parameters: [
      ...names.map((name, index) => parameter(name, index, "path")),
      ...["q", "toString", "a&b"].map((name, index) => parameter(name, index + 1, "query")),
    ],
  };
  const [tool] = generateTools({ openapi: "3.1.0", paths: { [path]: { get: operation } } });
  if (tool === undefined) throw new Error("no tool");
  return tool;
};

const buildOrRefuse = (inputs: number) => (): void => {
  let built = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...PATHS),
      fc.array(fc.constantFrom("string", "string", "string", "number", "boolean", "integer"), {
        minLength: 2,
        maxLength: 4,
      }),
      fc.array(fc.array(candidates, { minLength: 5, maxLength: 5 }), { minLength: 50, maxLength: 50 }),
      fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
      (path, types, rows, stray) => {
        const tool = toolFor(path, types);
        const names = [...tool.operation.pathParameters, ...tool.operation.queryParameters];
        for (const row of rows) {
          const input = Object.fromEntries(
            names.map((name, index) => {
              const type = tool.inputSchema.properties[name]?.type as "string";
              const candidate = row[index]?.stranger ?? "none";
              return [name, candidate === "none" ? row[index]?.[type] : candidate.value];
            }),
          );
          if (stray) input["stray"] = true;
          let request: Request;
          try {
            request = buildRequest(tool, input, origin);
          } catch (error) {
            if (!(error instanceof WebMcpInputError) || error.faults.length === 0) throw error;
            refused += 1;
            continue;
          }
          built += 1;
          expectMatch(tool, input, new URL(request.url));
        }
      },
    ),
    { numRuns: Math.ceil(inputs / 50) },
  );
  expect(built + refused).toBeGreaterThanOrEqual(inputs);
  // Neither outcome is rare.
  expect(built).toBeGreaterThan(inputs / 10);
  expect(refused).toBeGreaterThan(inputs / 10);
};

test("5,000 generated inputs each build a matching request or a clean refusal", buildOrRefuse(5_000));
test("50,000 generated inputs do, too", { tags: ["long"] }, buildOrRefuse(50_000));

const expectMatch = (tool: GeneratedTool, input: Record<string, unknown>, url: URL): void => {
  const asText = (value: unknown): string => (value === 0 ? "0" : String(value));
  if (url.origin !== origin || url.hash !== "" || url.username !== "")
    throw new Error(`left ${origin}: ${url.href}`);
  const { path, queryParameters } = tool.operation;
  const shape = new RegExp(`^${path.replaceAll(/[.-]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, "[^/]+")}$`);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => asText(input[name]));
  if (!shape.test(url.pathname) || decodeURIComponent(url.pathname) !== filled)
    throw new Error(`other path: ${url.href}`);
  const given = queryParameters.filter((name) => input[name] !== undefined);
  if (
    JSON.stringify([...url.searchParams]) !== JSON.stringify(given.map((name) => [name, asText(input[name])]))
  )
    throw new Error(`other query: ${url.href}`);
  if (input["stray"] !== undefined) throw new Error(`took an undeclared property: ${JSON.stringify(input)}`);
};
