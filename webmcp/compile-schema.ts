import { checkBounds, checkPattern } from "./compile-bounds.ts";
import { checkVisible, refuse, type Problems } from "./compile-problems.ts";
import { isObject, own, pointerTo, type JsonObject } from "./json.ts";
import { kindOfKeyword, type KeywordKind } from "./schema-keywords.ts";
import type { JsonSchema } from "./types.ts";

/** What an array may hold when the document does not say; the tool's schema states it. */
export const DEFAULT_MAX_ITEMS = 100;
const MAX_DEPTH = 32;

const TYPES = new Set(["object", "array", "string", "boolean", "integer", "number"]);

export type SchemaPlace = { pointer: string; ancestors: readonly unknown[] };

/**
 * One inline schema in the supported keywords. What is not supported is reported to
 * `problems`; the schema returned is then only there to go on with.
 */
export const compileSchema = (schema: unknown, place: SchemaPlace, problems: Problems): JsonSchema => {
  if (!isObject(schema)) {
    refuse(problems, {
      pointer: place.pointer,
      rule: "schema",
      message: "the schema is not an object",
      fix: "Write an inline schema",
    });
    return {};
  }
  if (place.ancestors.length >= MAX_DEPTH || place.ancestors.includes(schema)) {
    refuse(problems, {
      pointer: place.pointer,
      rule: "depth",
      message: `the schema is recursive or nested deeper than ${MAX_DEPTH}`,
      fix: "Flatten it",
    });
    return {};
  }
  const type = compileType(schema, place.pointer, problems);
  const compiled: Record<string, unknown> = {};
  if (type !== undefined) compiled["type"] = type;
  const description = own(schema, "description");
  if (typeof description === "string" && description !== "") {
    checkVisible(problems, description, place.pointer, "description");
    compiled["description"] = description;
  }
  if (compileKeywords(schema, compiled, place.pointer, problems)) {
    checkBounds(schema, place.pointer, problems);
    checkPattern(schema, place.pointer, problems);
  }
  if (type !== "object" && type !== "array") return compiled;
  const inside = { pointer: place.pointer, ancestors: [...place.ancestors, schema] };
  const inner = type === "object" ? compileObject : compileArray;
  return Object.assign(compiled, inner(schema, inside, problems));
};

/** Copies the limits and refuses what is not supported; true when there is any limit to look at. */
const compileKeywords = (
  schema: JsonObject,
  compiled: Record<string, unknown>,
  pointer: string,
  problems: Problems,
): boolean => {
  let isLimited = false;
  for (const keyword of Object.keys(schema)) {
    const kind = kindOfKeyword(keyword);
    if (kind === "copied") compiled[keyword] = schema[keyword];
    if (kind === "copied" || kind === "counted") isLimited = true;
    else if (kind !== "structure" && kind !== "annotation") refuseKeyword(keyword, kind, pointer, problems);
  }
  return isLimited;
};

const refuseKeyword = (
  keyword: string,
  kind: KeywordKind | undefined,
  parent: string,
  problems: Problems,
): void => {
  const pointer = pointerTo(parent, keyword);
  if (kind === "reference")
    refuse(problems, {
      pointer,
      rule: "reference",
      message: "references are not supported",
      fix: "Write the referenced schema in its place",
    });
  else if (kind === "combined")
    refuse(problems, {
      pointer,
      rule: "combined-schema",
      message: `combined schemas (${keyword}) are not supported`,
      fix: "Write one plain schema with a type",
    });
  else
    refuse(problems, {
      pointer,
      rule: "schema-keyword",
      message: `the keyword ${keyword} is not supported`,
      fix: `Remove ${keyword}`,
    });
};

const compileType = (schema: JsonObject, pointer: string, problems: Problems): JsonSchema["type"] => {
  const type = own(schema, "type");
  if (typeof type === "string" && TYPES.has(type)) return type as NonNullable<JsonSchema["type"]>;
  const elsewhere = Object.keys(schema).some((keyword) =>
    ["reference", "combined"].includes(kindOfKeyword(keyword) ?? ""),
  );
  // The reference or the combination is the problem then, and already said.
  if (type === undefined && elsewhere) return undefined;
  const wanted = "Give one type: object, array, string, boolean, integer or number";
  const message =
    type === undefined ? "the schema has no type" : `the type ${JSON.stringify(type)} is not supported`;
  refuse(problems, {
    pointer: type === undefined ? pointer : `${pointer}/type`,
    rule: "schema-type",
    message,
    fix: wanted,
  });
  return undefined;
};

const compileObject = (schema: JsonObject, place: SchemaPlace, problems: Problems): JsonSchema => {
  const { pointer } = place;
  if (own(schema, "additionalProperties") !== false)
    refuse(problems, {
      pointer,
      rule: "open-object",
      message: "the object accepts undeclared properties",
      fix: "Add additionalProperties: false",
    });
  const declared = own(schema, "properties") ?? {};
  const properties: [string, JsonSchema][] = [];
  if (isObject(declared))
    for (const name of Object.keys(declared)) {
      const at = pointerTo(`${pointer}/properties`, name);
      checkVisible(problems, name, at);
      properties.push([name, compileSchema(declared[name], { ...place, pointer: at }, problems)]);
    }
  else
    refuse(problems, {
      pointer: `${pointer}/properties`,
      rule: "schema",
      message: "properties is not an object",
      fix: "Declare each property with a schema",
    });
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
    refuse(problems, {
      pointer: `${pointer}/required`,
      rule: "required",
      message: "required is not a list of names",
      fix: "List property names",
    });
    return [];
  }
  for (const [index, name] of required.entries())
    if (!Object.hasOwn(declared, name))
      refuse(problems, {
        pointer: `${pointer}/required/${index}`,
        rule: "required",
        message: `${name} is required and not declared`,
        fix: `Declare ${name} under properties`,
      });
  return [...new Set(required)];
};

const compileArray = (schema: JsonObject, place: SchemaPlace, problems: Problems): JsonSchema => {
  const items = own(schema, "items");
  if (items === undefined) {
    refuse(problems, {
      pointer: place.pointer,
      rule: "array-items",
      message: "the array does not say what its items are",
      fix: "Add items with a schema",
    });
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
