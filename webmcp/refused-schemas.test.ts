import { expect, test } from "vitest";
import { getWith, postWith, problemsOf, type Refusal } from "./fixtures/small-documents.ts";

const PARAMETER = "/paths/~1x/get/parameters/0";
const BODY = "/paths/~1x/post/requestBody/content/application~1json/schema";
const object = { type: "object", additionalProperties: false } as const;
const refusals: Refusal[] = [
  [
    "a bidi mark in a parameter",
    getWith({ type: "string", description: "\u202Eabc" }),
    "hidden-text",
    `${PARAMETER}/schema/description`,
  ],
  [
    "a Unicode tag in an enum",
    getWith({ type: "string", enum: ["a\u{E0041}"] }),
    "hidden-text",
    `${PARAMETER}/schema/enum/0`,
  ],
  [
    "an array parameter",
    getWith({ type: "array", items: { type: "string" } }),
    "parameter-schema",
    `${PARAMETER}/schema/type`,
  ],
  ["a parameter without a schema", getWith(undefined), "parameter-schema", PARAMETER],
  ["a reference", postWith({ $ref: "#/components/schemas/X" }), "reference", `${BODY}/$ref`],
  ["anyOf", postWith({ anyOf: [object] }), "combined-schema", `${BODY}/anyOf`],
  ["an open object", postWith({ type: "object" }), "open-object", BODY],
  ["a type list", getWith({ type: ["string", "null"] }), "schema-type", `${PARAMETER}/schema/type`],
  ["no type", getWith({}), "schema-type", `${PARAMETER}/schema`],
  [
    "an unknown keyword",
    getWith({ type: "string", nullable: true }),
    "schema-keyword",
    `${PARAMETER}/schema/nullable`,
  ],
  ["an array without items", postWith({ type: "array" }), "array-items", BODY],
  [
    "an undeclared required property",
    postWith({ ...object, required: ["constructor"] }),
    "required",
    `${BODY}/required/0`,
  ],
  [
    "contradictory bounds",
    getWith({ type: "integer", minimum: 5, maximum: 1 }),
    "bounds",
    `${PARAMETER}/schema/maximum`,
  ],
  [
    "a bound that is no number",
    getWith({ type: "string", maxLength: "9" }),
    "bounds",
    `${PARAMETER}/schema/maxLength`,
  ],
  [
    "an enum of another type",
    getWith({ type: "integer", enum: [1, "2"] }),
    "enum",
    `${PARAMETER}/schema/enum/1`,
  ],
  ["an empty enum", getWith({ type: "string", enum: [] }), "enum", `${PARAMETER}/schema/enum`],
  ["a broken pattern", getWith({ type: "string", pattern: "(" }), "pattern", `${PARAMETER}/schema/pattern`],
  [
    "a pattern that is no text",
    getWith({ type: "string", pattern: 7 }),
    "pattern",
    `${PARAMETER}/schema/pattern`,
  ],
  [
    "a pattern with look-ahead",
    getWith({ type: "string", pattern: "^(?=a)" }),
    "pattern",
    `${PARAMETER}/schema/pattern`,
  ],
];

test.each(refusals)("%s is refused where it stands", (_, document, rule, pointer) => {
  const problems = problemsOf(document);
  expect(problems.map((problem) => [problem.rule, problem.pointer])).toEqual([[rule, pointer]]);
  expect(problems[0]?.message).not.toBe("");
  expect(problems[0]?.fix).toMatch(/^[A-Z]/);
});

test("a pattern that cannot be run is refused with what it uses and what to do", () => {
  expect(problemsOf(getWith({ type: "string", pattern: "(a)\\1" }))).toMatchObject([
    {
      message: "the pattern uses a back-reference, which is not supported",
      fix: "Write a simpler pattern, or use enum or maxLength instead",
    },
  ]);
});

test("a schema that contains itself is refused instead of followed for ever", () => {
  const schema: Record<string, unknown> = { ...object, properties: {} };
  schema["properties"] = { again: schema };
  expect(problemsOf(postWith(schema)).map(({ rule }) => rule)).toEqual(["depth"]);
});
