import { Ajv2020 } from "ajv/dist/2020.js";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MemoryServer, startMemoryServer } from "../server/memory/fixtures/start-memory-server.ts";
import { type ApiDocument, renderApiReference } from "./api-reference.ts";
import { closed } from "./contract.ts";

let server: MemoryServer;
let document: ApiDocument;
beforeAll(async () => {
  server = await startMemoryServer();
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as ApiDocument;
});
afterAll(() => server.stop());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );

test("docs/api.md says what the server's OpenAPI document says", async () => {
  await expect(renderApiReference(document)).toMatchFileSnapshot(join(import.meta.dirname, "../docs/api.md"));
});

test("every route has a summary, an answer with an example, and its problems", () => {
  for (const { name, operation } of operations()) {
    expect(operation.summary, name).toBeTruthy();
    const answers = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
    expect(answers.length, name).toBeGreaterThan(0);
    for (const [, { content }] of answers)
      for (const { example } of Object.values(content ?? {})) expect(example, name).toBeDefined();
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

test("every example of an answer has what its schema asks for, and nothing that it does not name", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const faults = operations().flatMap(({ name, operation }) =>
    Object.entries(operation.responses ?? {}).flatMap(([status, { content }]) =>
      Object.values(content ?? {}).flatMap(({ schema, example }) => {
        if (!schema || typeof example !== "object") return [];
        const validate = ajv.compile(closed(schema));
        return validate(example) ? [] : [`${name} ${status}: ${JSON.stringify(validate.errors)}`];
      }),
    ),
  );
  expect(faults).toEqual([]);
});
