import { checkBounds, checkPattern } from "./compile-bounds.ts";
import { checkVisible, refuse, type Problems } from "./compile-problems.ts";
import { isObject, own, pointerTo, type JsonObject } from "./json.ts";
import type { JsonSchema } from "./types.ts";

/** What an array may hold when the document does not say; the tool's schema states it. */
export const DEFAULT_MAX_ITEMS = 100;
const MAX_DEPTH = 32;

const TYPES = new Set(["object", "array", "string", "boolean", "integer", "number"]);
/** Keywords that say something about a value without limiting it: accepted, left out, nothing changes. */
const ANNOTATIONS = new Set([
  "title",
  "default",
  "examples",
  "example",
  "format",
  "deprecated",
  "readOnly",
  "writeOnly",
  "externalDocs",
  "xml",
  "$comment",
  "contentMediaType",
  "contentEncoding",
]);
const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);
const COMBINED = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "discriminator",
]);
/** Copied as they are once their values are sound. */
const SCALAR_KEYWORDS = [
  "enum",
  "const",
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
] as const;
const KNOWN = new Set<string>([
  ...SCALAR_KEYWORDS,
  "type",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "minItems",
  "maxItems",
  "uniqueItems",
]);

export type SchemaPlace = { pointer: string; ancestors: readonly unknown[] };

/**
 * One inline schema in the supported keywords, in a fixed keyword order. What is not supported is reported to
 * `problems`; the schema returned is then only there to go on with.
 */
export const compileSchema = (schema: unknown, place: SchemaPlace, problems: Problems): JsonSchema => {
  if (!isObject(schema)) {
    refuseSchema(problems, place.pointer, "schema", "the schema is not an object", "Write an inline schema");
    return {};
  }
  if (place.ancestors.length >= MAX_DEPTH || place.ancestors.includes(schema)) {
    refuseSchema(
      problems,
      place.pointer,
      "depth",
      `the schema is recursive or nested deeper than ${MAX_DEPTH}`,
      "Flatten it",
    );
    return {};
  }
  checkKeywords(schema, place.pointer, problems);
  const type = compileType(schema, place.pointer, problems);
  const description = own(schema, "description");
  if (typeof description === "string") checkVisible(problems, description, `${place.pointer}/description`);
  const compiled: Record<string, unknown> = {};
  if (type !== undefined) compiled["type"] = type;
  if (typeof description === "string" && description !== "") compiled["description"] = description;
  for (const keyword of SCALAR_KEYWORDS)
    if (Object.hasOwn(schema, keyword)) compiled[keyword] = schema[keyword];
  checkBounds(schema, place.pointer, problems);
  checkPattern(schema, compiled, place.pointer, problems);
  const inside = { pointer: place.pointer, ancestors: [...place.ancestors, schema] };
  if (type === "object") Object.assign(compiled, compileObject(schema, inside, problems));
  if (type === "array") Object.assign(compiled, compileArray(schema, inside, problems));
  return compiled;
};

const refuseSchema = (
  problems: Problems,
  pointer: string,
  rule: string,
  message: string,
  fix: string,
): void => refuse(problems, { pointer, rule, message, fix });

const checkKeywords = (schema: JsonObject, pointer: string, problems: Problems): void => {
  for (const keyword of Object.keys(schema)) {
    if (KNOWN.has(keyword) || ANNOTATIONS.has(keyword) || keyword.startsWith("x-")) continue;
    const at = pointerTo(pointer, keyword);
    if (REFERENCES.has(keyword))
      refuseSchema(
        problems,
        at,
        "reference",
        "references are not supported",
        "Write the referenced schema in its place",
      );
    else if (COMBINED.has(keyword))
      refuseSchema(
        problems,
        at,
        "combined-schema",
        `combined schemas (${keyword}) are not supported`,
        "Write one plain schema with a type",
      );
    else
      refuseSchema(
        problems,
        at,
        "schema-keyword",
        `the keyword ${keyword} is not supported`,
        `Remove ${keyword}`,
      );
  }
};

const compileType = (schema: JsonObject, pointer: string, problems: Problems): JsonSchema["type"] => {
  const type = own(schema, "type");
  if (typeof type === "string" && TYPES.has(type)) return type as NonNullable<JsonSchema["type"]>;
  const elsewhere = Object.keys(schema).some((keyword) => REFERENCES.has(keyword) || COMBINED.has(keyword));
  // The reference or the combination is the problem then, and already said.
  if (type === undefined && elsewhere) return undefined;
  const wanted = "Give one type: object, array, string, boolean, integer or number";
  const message =
    type === undefined ? "the schema has no type" : `the type ${JSON.stringify(type)} is not supported`;
  refuseSchema(problems, type === undefined ? pointer : `${pointer}/type`, "schema-type", message, wanted);
  return undefined;
};

const compileObject = (schema: JsonObject, place: SchemaPlace, problems: Problems): JsonSchema => {
  const { pointer } = place;
  if (own(schema, "additionalProperties") !== false)
    refuseSchema(
      problems,
      pointer,
      "open-object",
      "the object accepts undeclared properties",
      "Add additionalProperties: false",
    );
  const declared = own(schema, "properties") ?? {};
  const properties: [string, JsonSchema][] = [];
  if (isObject(declared))
    for (const name of Object.keys(declared)) {
      const at = pointerTo(`${pointer}/properties`, name);
      checkVisible(problems, name, at);
      properties.push([name, compileSchema(declared[name], { ...place, pointer: at }, problems)]);
    }
  else
    refuseSchema(
      problems,
      `${pointer}/properties`,
      "schema",
      "properties is not an object",
      "Declare each property with a schema",
    );
  return {
    properties: Object.fromEntries(properties),
    required: compileRequired(schema, isObject(declared) ? declared : {}, pointer, problems),
    additionalProperties: false,
  };
};

const compileRequired = (
  schema: JsonObject,
  declared: JsonObject,
  pointer: string,
  problems: Problems,
): readonly string[] => {
  const required = own(schema, "required") ?? [];
  if (!Array.isArray(required) || !required.every((name) => typeof name === "string")) {
    refuseSchema(
      problems,
      `${pointer}/required`,
      "required",
      "required is not a list of names",
      "List property names",
    );
    return [];
  }
  for (const [index, name] of required.entries())
    if (!Object.hasOwn(declared, name))
      refuseSchema(
        problems,
        `${pointer}/required/${index}`,
        "required",
        `${name} is required and not declared`,
        `Declare ${name} under properties`,
      );
  return [...new Set(required)];
};

const compileArray = (schema: JsonObject, place: SchemaPlace, problems: Problems): JsonSchema => {
  const items = own(schema, "items");
  if (items === undefined) {
    refuseSchema(
      problems,
      place.pointer,
      "array-items",
      "the array does not say what its items are",
      "Add items with a schema",
    );
    return {};
  }
  const minItems = own(schema, "minItems");
  const maxItems =
    own(schema, "maxItems") ?? Math.max(DEFAULT_MAX_ITEMS, typeof minItems === "number" ? minItems : 0);
  return {
    items: compileSchema(items, { ...place, pointer: `${place.pointer}/items` }, problems),
    ...(typeof minItems === "number" ? { minItems } : {}),
    ...(typeof maxItems === "number" ? { maxItems } : {}),
    ...(own(schema, "uniqueItems") === true ? { uniqueItems: true } : {}),
  };
};
