import { Ajv2020 } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Answers, type ApiDocument, readAnswers, renderApiReference } from "./api-reference.ts";
import { tellStory } from "./api-story/tell-story.ts";
import { closed } from "./contract.ts";
import { hasPostgres } from "./postgres/find-postgres.ts";

const page = join(import.meta.dirname, "../docs/api.md");

let document: ApiDocument;
let answers: Answers;
beforeAll(async () => {
  ({ document, answers } = await tellStory());
  if (!hasPostgres)
    for (const [name, answer] of readAnswers(readFileSync(page, "utf8")))
      if (name.includes(" /api/queue")) answers.set(name, answer);
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );

test("docs/api.md says what the server's OpenAPI document says, and what the server answered", async () => {
  await expect(renderApiReference(document, answers)).toMatchFileSnapshot(page);
});

test("every operation was answered, with a status and a type that its description names", () => {
  for (const { name, operation } of operations()) {
    const { status = "", type = "" } = answers.get(name) ?? {};
    expect(Object.keys(operation.responses?.[status]?.content ?? {}), `${name}: ${status}`).toEqual([type]);
  }
  expect([...answers.keys()].sort()).toEqual(
    operations()
      .map(({ name }) => name)
      .sort(),
  );
});

test.skipIf(!hasPostgres)("the answers of the queue on the page are those of a server on PostgreSQL", () => {
  expect(answers.get("GET /api/queue")?.example).toContain('"hasQueue": true');
});

test("every route has a summary, an answer with a schema, and its problems", () => {
  for (const { name, operation } of operations()) {
    expect(operation.summary, name).toBeTruthy();
    const all = Object.entries(operation.responses ?? {});
    const given = all.filter(([status]) => status.startsWith("2"));
    expect(given.length, name).toBeGreaterThan(0);
    expect(all.length, name).toBeGreaterThan(given.length);
    for (const [, { content }] of all)
      for (const { schema } of Object.values(content ?? {})) expect(schema, name).toBeDefined();
  }
});

test("every example of a body is one that the server takes", () => {
  const ajv = new Ajv2020({ strict: false });
  const checked: string[] = [];
  for (const { name, operation } of operations())
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
      const examples = (schema?.["examples"] ?? []) as unknown[];
      for (const example of examples) {
        const validate = ajv.compile(schema ?? {});
        expect(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
        checked.push(name);
      }
    }
  expect(checked).toEqual(
    expect.arrayContaining(["POST /learn", "POST /inject", "POST /query", "POST /outcome"]),
  );
});

test("every answer on the page, and every example of a problem, has what its schema asks for and nothing that it does not name", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const faults = operations().flatMap(({ name, operation }) =>
    Object.entries(operation.responses ?? {}).flatMap(([status, { content }]) =>
      Object.entries(content ?? {}).flatMap(([type, { schema, example }]) => {
        if (!schema || !type.endsWith("json") || type === "application/x-ndjson") return [];
        const answer = answers.get(name);
        const shown = answer?.status === status ? (JSON.parse(answer.example ?? "") as unknown) : example;
        const validate = ajv.compile(closed(schema));
        return validate(shown) ? [] : [`${name} ${status}: ${JSON.stringify(validate.errors)}`];
      }),
    ),
  );
  expect(faults).toEqual([]);
});
