import { checkVisible, refuse, type Problems } from "./compile-problems.ts";
import { own, type JsonObject } from "./json.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import { createValidator } from "./validate.ts";
import type { JsonSchema } from "./types.ts";

const COUNTS = new Set(["minLength", "maxLength", "minItems", "maxItems"]);
const NUMBERS = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]);
const ORDERED = [
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minimum", "maximum"],
] as const;

const refuseBound = (problems: Problems, pointer: string, message: string, fix: string): void =>
  refuse(problems, { pointer, rule: "bounds", message, fix });

/** Refuses limits that are not numbers, contradict each other, or list values of another type. */
export const checkBounds = (schema: JsonObject, pointer: string, problems: Problems): void => {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (COUNTS.has(keyword)) {
      if (!Number.isSafeInteger(value) || Number(value) < 0)
        refuseBound(
          problems,
          `${pointer}/${keyword}`,
          `${keyword} is not a count`,
          "Use a whole number from 0",
        );
    } else if (NUMBERS.has(keyword)) {
      if (!Number.isFinite(value) || (keyword === "multipleOf" && Number(value) <= 0))
        refuseBound(problems, `${pointer}/${keyword}`, `${keyword} is not a usable number`, "Use a number");
    }
  }
  for (const [low, high] of ORDERED)
    if (Number(own(schema, low) ?? -Infinity) > Number(own(schema, high) ?? Infinity))
      refuseBound(problems, `${pointer}/${high}`, `${low} is above ${high}`, `Raise ${high} or lower ${low}`);
  const unique = own(schema, "uniqueItems");
  if (unique !== undefined && typeof unique !== "boolean")
    refuseBound(problems, `${pointer}/uniqueItems`, "uniqueItems is not true or false", "Use true or false");
  checkValues(schema, pointer, problems);
};

const checkValues = (schema: JsonObject, pointer: string, problems: Problems): void => {
  const listed = own(schema, "enum");
  if (listed !== undefined && (!Array.isArray(listed) || listed.length === 0)) {
    refuse(problems, {
      pointer: `${pointer}/enum`,
      rule: "enum",
      message: "enum is not a list of values",
      fix: "List at least one value",
    });
    return;
  }
  const type = own(schema, "type");
  if (typeof type !== "string" || (listed === undefined && !Object.hasOwn(schema, "const"))) return;
  const isOfType = createValidator({ type: type as NonNullable<JsonSchema["type"]> });
  const values: [string, unknown][] = (Array.isArray(listed) ? listed : []).map((value, index) => [
    `${pointer}/enum/${index}`,
    value,
  ]);
  if (Object.hasOwn(schema, "const")) values.push([`${pointer}/const`, schema["const"]]);
  for (const [at, value] of values) {
    if (typeof value === "string") checkVisible(problems, value, at);
    if (isOfType(value).length > 0)
      refuse(problems, {
        pointer: at,
        rule: "enum",
        message: `${JSON.stringify(value)} is not of type ${type}`,
        fix: "Remove the value or change the type",
      });
  }
};

/** Refuses patterns that a server cannot run in time that grows with the text. */
export const checkPattern = (schema: JsonObject, pointer: string, problems: Problems): void => {
  const source = own(schema, "pattern");
  if (source === undefined) return;
  const pattern = typeof source === "string" ? readPattern(source, problems) : "the pattern is not a text";
  if (typeof pattern === "string")
    refuse(problems, {
      pointer: `${pointer}/pattern`,
      rule: "pattern",
      message: pattern,
      fix: "Write a simpler pattern, or use enum or maxLength instead",
    });
};

const readPattern = (source: string, { patterns }: Problems): Pattern | string => {
  const pattern = patterns.get(source) ?? compilePattern(source);
  patterns.set(source, pattern);
  return pattern;
};
