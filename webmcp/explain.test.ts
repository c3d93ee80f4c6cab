import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { corpusDir } from "../test/corpus.ts";
import { explainDocument } from "./explain.ts";
import { libraryDocument } from "./fixtures/library-document.ts";
import { generateTools } from "./generate-tools.ts";
import type { OpenApiDocument } from "./types.ts";

const corpus = corpusDir("openapi");
const files = corpus === undefined ? [] : readdirSync(corpus).filter((name) => /\.(json|yaml)$/.test(name));

const load = (name: string): OpenApiDocument =>
  parse(readFileSync(join(corpus ?? "", name), "utf8")) as OpenApiDocument;

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

const countOperations = (document: OpenApiDocument): number =>
  Object.values(document.paths ?? {})
    .flatMap((item) => Object.keys(item as object))
    .filter((key) => METHODS.includes(key)).length;

test.skipIf(corpus === undefined)("accounts for every operation of every document of the corpus", () => {
  expect(files.length).toBeGreaterThan(8);
  for (const name of files) {
    const document = load(name);
    const { operations, totals, documentProblems } = explainDocument(document);
    expect([name, operations.length]).toEqual([name, countOperations(document)]);
    expect(Object.values(totals).reduce((sum, part) => sum + part, 0)).toBe(operations.length);
    expect([name, documentProblems.map(({ rule }) => rule)]).toEqual([
      name,
      document.openapi.startsWith("3.1.") ? [] : ["openapi-version"],
    ]);
    for (const { state, problems, tokens } of operations) {
      expect(problems.length > 0).toBe(state === "refused" || state === "unsupported");
      expect(tokens !== undefined).toBe(problems.length === 0);
    }
  }
});

test.skipIf(corpus === undefined)("what it calls ready compiles once the flags are set", () => {
  for (const name of files) {
    const document = load(name);
    if (!document.openapi.startsWith("3.1.")) continue;
    const ready = explainDocument(document).operations.filter(({ state }) => state === "ready");
    for (const { operation } of ready) {
      const [method = "", path = ""] = operation.split(" ");
      const item = document.paths?.[path] as Record<string, Record<string, unknown>>;
      Object.assign(item[method.toLowerCase()] ?? {}, {
        "x-webmcp-enabled": true,
        ...(method === "GET" ? {} : { "x-webmcp-approval-required": true }),
      });
    }
    expect([name, generateTools(document).length]).toEqual([name, ready.length]);
  }
});

test.skipIf(corpus === undefined)("the guide's table of documents says what explain says", () => {
  const guide = readFileSync(join(import.meta.dirname, "../docs/webmcp.md"), "utf8");
  for (const name of files) {
    const { operations, totals } = explainDocument(load(name));
    const row = guide.split("\n").find((line) => line.startsWith(`| ${name.replace(/\.\w+$/, "")} |`));
    const [, , count, ready, rest] = row?.split("|") ?? [];
    expect([name, Number(count), Number(ready), Number.parseInt(rest ?? "", 10)]).toEqual([
      name,
      operations.length,
      totals.ready,
      totals.unsupported,
    ]);
  }
});

test("tells tools, refused, ready and unsupported operations apart", () => {
  const document = libraryDocument();
  document.paths["/books"]!["get"] = { operationId: "listBooks", parameters: [] };
  document.paths["/books/{id}"]!["delete"] = { "x-webmcp-enabled": true, operationId: "removeBook" };
  const { operations, totals } = explainDocument(document);
  expect(operations.map(({ operation, state }) => `${operation} ${state}`)).toEqual([
    "GET /books ready",
    "POST /books tool",
    "GET /books/{id} tool",
    "DELETE /books/{id} refused",
    "PUT /books/{id} unsupported",
  ]);
  expect(totals).toEqual({ tool: 2, refused: 1, ready: 1, unsupported: 1 });
  expect(operations[3]?.problems).toMatchObject([
    {
      operation: "DELETE /books/{id}",
      pointer: "/paths/~1books~1{id}/delete",
      rule: "approval-flag",
      fix: "Add x-webmcp-approval-required: true",
    },
  ]);
});

test("notes a server path that requests would not carry, and paths that are references", () => {
  const { notes } = explainDocument({
    openapi: "3.1.0",
    servers: [{ url: "https://api.test/v1" }, { url: "https://api.test" }],
    paths: { "/a": { $ref: "#/b" } },
  });
  expect(notes).toEqual([
    "the server URL https://api.test/v1 has a path: requests are built from the origin and the path template only",
    "/a is a reference: the operations behind it are not looked into",
  ]);
});
