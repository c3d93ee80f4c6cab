import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { corpusDir } from "../test/corpus.ts";
import { compileSchema } from "./compile-schema.ts";
import { createProblems } from "./compile-problems.ts";
import { isObject } from "./json.ts";
import type { JsonSchema } from "./types.ts";
import { createValidator } from "./validate.ts";

const suite = corpusDir("json-schema-test-suite/draft2020-12");

const KEYWORDS = new Set(
  (
    "type description properties required additionalProperties items minItems maxItems uniqueItems enum const " +
    "minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf $schema"
  ).split(" "),
);

/** A schema that `JsonSchema` can say. */
const isSayable = (schema: unknown): schema is JsonSchema =>
  isObject(schema) &&
  Object.keys(schema).every((keyword) => KEYWORDS.has(keyword)) &&
  !Array.isArray(schema["type"]) &&
  schema["type"] !== "null" &&
  (schema["additionalProperties"] === undefined || schema["additionalProperties"] === false) &&
  (schema["items"] === undefined || isSayable(schema["items"])) &&
  Object.values(schema["properties"] ?? {}).every(isSayable);

type Group = {
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
};

test.skipIf(suite === undefined)("agrees with the JSON Schema Test Suite on every schema it can say", () => {
  const wrong: string[] = [];
  let cases = 0;
  for (const file of readdirSync(suite ?? "").filter((name) => name.endsWith(".json"))) {
    const groups = JSON.parse(readFileSync(join(suite ?? "", file), "utf8")) as Group[];
    for (const { description, schema, tests } of groups.filter((group) => isSayable(group.schema))) {
      const validate = createValidator(schema as JsonSchema);
      for (const { description: title, data, valid } of tests) {
        cases += 1;
        if ((validate(data).length === 0) !== valid) wrong.push(`${file}: ${description}: ${title}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(cases).toBeGreaterThan(280);
});

test.skipIf(suite === undefined)("refuses to compile every schema of the suite that it cannot say", () => {
  const accepted: string[] = [];
  for (const file of readdirSync(suite ?? "").filter((name) => name.endsWith(".json"))) {
    const groups = JSON.parse(readFileSync(join(suite ?? "", file), "utf8")) as Group[];
    for (const { description, schema } of groups.filter((group) => !isSayable(group.schema))) {
      const problems = createProblems();
      compileSchema(schema, { pointer: "", ancestors: [] }, problems);
      if (problems.list.length === 0) accepted.push(`${file}: ${description}`);
    }
  }
  expect(accepted).toEqual([]);
});

const VALUES = [0, 1.5, Number.NaN, Infinity, "a", true, null, undefined, [], {}, new Date(0), () => 1];
test.each([
  ["integer", [0]],
  ["number", [0, 1.5]],
  ["string", ["a"]],
  ["boolean", [true]],
  ["array", [[]]],
  ["object", [{}]],
] as const)("takes for %s what JSON can carry as one, and nothing else", (type, accepted) => {
  const validate = createValidator({ type });
  expect(VALUES.filter((value) => validate(value).length === 0)).toEqual(accepted);
});

test.each<[JsonSchema, met: unknown, missed: unknown]>([
  [{ type: "array", minItems: 2 }, [0, 0], [0]],
  [{ type: "array", maxItems: 1 }, [0], [0, 0]],
  [{ type: "array", uniqueItems: true }, [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 1 }]],
  [{ type: "string", minLength: 2 }, "ab", "𝒳"],
  [{ type: "string", maxLength: 2 }, "𝒳𝒳", "abc"],
  [{ type: "number", minimum: 2 }, 2, 1.9],
  [{ type: "number", maximum: 2 }, 2, 2.1],
  [{ type: "number", exclusiveMinimum: 2 }, 2.1, 2],
  [{ type: "number", exclusiveMaximum: 2 }, 1.9, 2],
  [{ type: "number", multipleOf: 0.1 }, 0.3, 0.35],
  [{ const: "a" }, "a", "b"],
  [{ enum: ["a", 1] }, 1, "1"],
])("%j is met by %j and missed by %j", (schema, met, missed) => {
  const validate = createValidator(schema);
  expect([validate(met).length, validate(missed).length]).toEqual([0, 1]);
});

// Without __proto__, constructor and toString, which ajv gets wrong; the suite has them.
const NAMES = ["a", "b", "isPrototypeOf", "~/", "ключ"];
const PATTERNS = ["^[a-z]+$", "a", "^\\p{L}*$", "^.{2,3}$", "^(?:ab|c)*$", "[^x]"];
const text = fc.oneof(
  fc.constantFrom("", "a", "abc", "ab", "𝒳𝒳", "é", "ABC", "1"),
  fc.string({ unit: "binary", maxLength: 5 }),
);
// Numbers whose multiples ajv gets right: its division rounds.
const number = fc.oneof(
  fc.integer({ min: -6, max: 6 }),
  fc.integer({ min: -56, max: 56 }).map((eighths) => eighths / 8),
);

const json = (depth: number): fc.Arbitrary<unknown> =>
  fc.anything({
    maxDepth: depth,
    key: fc.constantFrom(...NAMES),
    values: [text, number, fc.boolean(), fc.constant(null)],
  });

const some = <T>(keyword: string, values: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.option(values, { nil: undefined }).map((value) => (value === undefined ? {} : { [keyword]: value }));

const merged = (...parts: fc.Arbitrary<object>[]): fc.Arbitrary<JsonSchema> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as JsonSchema);

const count = fc.integer({ min: 0, max: 4 });
const typed = (type: string): fc.Arbitrary<object> => fc.constant({ type });

const schemas: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    merged(
      typed("string"),
      some("minLength", count),
      some("maxLength", count),
      some("pattern", fc.constantFrom(...PATTERNS)),
      some("enum", fc.array(text, { minLength: 1, maxLength: 3 })),
    ),
    merged(
      fc.constantFrom({ type: "integer" }, { type: "number" }),
      some("minimum", number),
      some("maximum", number),
      some("exclusiveMinimum", number),
      some("exclusiveMaximum", number),
      some("multipleOf", fc.integer({ min: 1, max: 4 })),
    ),
    typed("boolean") as fc.Arbitrary<JsonSchema>,
    merged(
      typed("array"),
      fc.record({ items: tie("schema") }),
      some("minItems", count),
      some("maxItems", count),
      some("uniqueItems", fc.boolean()),
      some("const", json(1)),
    ),
    fc
      .tuple(
        fc.array(fc.tuple(fc.constantFrom(...NAMES), tie("schema")), { maxLength: 4 }),
        fc.subarray(NAMES),
      )
      .map(([properties, required]) => ({
        type: "object" as const,
        properties: Object.fromEntries(properties),
        required: required.filter((name) => properties.some(([declared]) => declared === name)),
        additionalProperties: false as const,
      })),
  ),
})).schema;

/** Values near the schema, so that both answers are common. */
const valuesFor = (schema: JsonSchema): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: near(schema) }, json(2));

const near = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  switch (schema.type) {
    case "string":
      return fc.oneof(text, fc.constantFrom<unknown>(...(schema.enum ?? ["x"])));
    case "integer":
    case "number":
      return number;
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valuesFor(schema.items ?? {}), { maxLength: 5 });
    case "object": {
      const names = [...Object.keys(schema.properties ?? {}), "a"];
      const member = (name: string): fc.Arbitrary<[string, unknown]> =>
        valuesFor(Object.hasOwn(schema.properties ?? {}, name) ? (schema.properties?.[name] ?? {}) : {}).map(
          (value) => [name, value],
        );
      return fc
        .subarray(names, { minLength: Math.min(1, names.length - 1) })
        .chain((chosen) => fc.tuple(...chosen.map(member)))
        .map((members) => Object.fromEntries(members));
    }
    case undefined:
    default:
      return json(2);
  }
};

const agreesWithAjv = (pairs: number) => (): void => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, allErrors: false });
  const valuesEach = 20;
  let accepted = 0;
  let checked = 0;
  fc.assert(
    fc.property(
      schemas.chain((schema) =>
        fc.tuple(
          fc.constant(schema),
          fc.array(valuesFor(schema), { minLength: valuesEach, maxLength: valuesEach }),
        ),
      ),
      ([schema, values]) => {
        const validate = createValidator(schema);
        const reference = ajv.compile(schema);
        for (const value of values) {
          const expected = reference(value);
          checked += 1;
          if (expected) accepted += 1;
          if ((validate(value).length === 0) !== expected)
            throw new Error(`ajv says ${String(expected)}: ${JSON.stringify({ schema, value })}`);
        }
        ajv.removeSchema(schema);
      },
    ),
    { numRuns: Math.ceil(pairs / valuesEach) },
  );
  expect(checked).toBeGreaterThanOrEqual(pairs);
  // Neither answer is rare: the agreement means something.
  expect(accepted).toBeGreaterThan(checked / 10);
  expect(accepted).toBeLessThan((checked * 9) / 10);
};

test("agrees with ajv on 5,000 generated pairs of schema and value", agreesWithAjv(5_000));
test("agrees with ajv on 50,000 generated pairs", { tags: ["long"] }, agreesWithAjv(50_000));

test("points at every fault at once", () => {
  const validate = createValidator({
    type: "object",
    properties: {
      "a/b": { type: "array", items: { type: "integer", maximum: 3 } },
      name: { type: "string" },
    },
    required: ["name", "toString"],
    additionalProperties: false,
  });
  expect(validate({ "a/b": [1, "2", 9], valueOf: 1 })).toEqual([
    { path: "/a~1b/1", reason: "must be an integer" },
    { path: "/a~1b/2", reason: "must be at most 3" },
    { path: "", reason: "must have the property name" },
    { path: "", reason: "must have the property toString" },
    { path: "/valueOf", reason: "is not a declared property" },
  ]);
});

test("counts characters and not UTF-16 units", () => {
  const validate = createValidator({ type: "string", minLength: 2, maxLength: 2 });
  expect(validate("𝒳𝒳")).toEqual([]);
  expect(validate("𝒳")).toEqual([{ path: "", reason: "must have at least 2 characters" }]);
  expect(validate("𝒳𝒳𝒳")).toEqual([{ path: "", reason: "must have at most 2 characters" }]);
});

test("takes decimal multiples as people write them", () => {
  const validate = createValidator({ type: "number", multipleOf: 0.01 });
  expect(validate(19.99)).toEqual([]);
  expect(validate(-1e21)).toEqual([]);
  expect(validate(19.995)).toEqual([{ path: "", reason: "must be a multiple of 0.01" }]);
});

test("refuses what would change on its way to JSON", () => {
  const validate = createValidator({ type: "object", properties: {}, additionalProperties: false });
  expect(validate(new Date())).toEqual([{ path: "", reason: "must be an object" }]);
  expect(validate(new Map())).toHaveLength(1);
  expect(createValidator({ type: "number" })(Number.NaN)).toHaveLength(1);
});

test("stops listing faults before the answer to a hostile input grows large", () => {
  const validate = createValidator({ type: "array", items: { type: "array", items: { type: "string" } } });
  const faults = validate(Array.from({ length: 500 }, () => Array.from({ length: 60 }, () => 1)));
  expect(faults.length).toBeLessThan(120);
});

test("an input that is nested deeper than the stack is refused like any other", () => {
  const depth = 200_000;
  const nested: unknown = JSON.parse(`${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`);
  const texts: JsonSchema = { type: "array", items: { type: "string" }, maxItems: 5, uniqueItems: true };
  expect(createValidator(texts)([nested])).toEqual([{ path: "/0", reason: "must be a string" }]);
  const choice: JsonSchema = { type: "object", enum: [{ a: 1 }] };
  expect(createValidator(choice)(nested)).toEqual([{ path: "", reason: 'must be one of {"a":1}' }]);
});
