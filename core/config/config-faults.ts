import type { Fault } from "../errors.ts";
import { nearestName } from "../nearest-name.ts";
import { type TSchema, Value } from "../schema.ts";

type SchemaNode = TSchema & {
  properties?: Record<string, TSchema>;
  patternProperties?: Record<string, TSchema>;
  anyOf?: TSchema[];
  items?: TSchema;
  const?: unknown;
  pattern?: string;
};

/** `/workers/docs/max` as a person would write it: `workers.docs.max`. */
export const dottedPath = (pointer: string): string =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`;
      if (!/^[\w$-]+$/.test(part)) return `${path}[${JSON.stringify(part)}]`;
      return path === "" ? part : `${path}.${part}`;
    }, "");

const childSchema = (node: SchemaNode | undefined, part: string): SchemaNode | undefined => {
  if (!node) return undefined;
  if (node.properties && Object.hasOwn(node.properties, part)) return node.properties[part];
  if (node.items) return node.items;
  return Object.values(node.patternProperties ?? {})[0];
};

const schemaAt = (root: TSchema, pointer: string): SchemaNode | undefined => {
  let node: SchemaNode | undefined = root;
  for (const part of pointer.split("/").slice(1)) node = childSchema(node, part);
  return node;
};

const show = (value: unknown): string => {
  const text = typeof value === "function" ? "a function" : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
};

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf("/"));
const lastPart = (pointer: string): string => pointer.slice(pointer.lastIndexOf("/") + 1);

const unknownKey = (root: TSchema, pointer: string): string => {
  const parent = schemaAt(root, parentOf(pointer));
  const key = lastPart(pointer);
  if (!parent?.properties) {
    const pattern = Object.keys(parent?.patternProperties ?? {})[0];
    return `${JSON.stringify(key)} is not a usable name; a name must match ${pattern ?? "nothing"}`;
  }
  const known = Object.keys(parent.properties);
  const near = nearestName(key, known);
  return near
    ? `unknown key ${JSON.stringify(key)}; did you mean ${JSON.stringify(near)}?`
    : `unknown key ${JSON.stringify(key)}; known keys: ${known.join(", ")}`;
};

const expectation = (node: SchemaNode | undefined, fallback: string): string => {
  if (!node) return fallback;
  if (node.anyOf)
    return `must be one of ${node.anyOf.map((choice: SchemaNode) => JSON.stringify(choice.const)).join(", ")}`;
  const limits: string[] = [];
  const add = (key: string, words: string) => {
    if (node[key] !== undefined) limits.push(`${words} ${String(node[key])}`);
  };
  add("minimum", "at least");
  add("exclusiveMinimum", "more than");
  add("maximum", "at most");
  add("minLength", "of length at least");
  add("minItems", "with at least this many items:");
  add("pattern", "matching");
  const kind = String(node["type"] ?? "value");
  return `must be ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}${limits.length > 0 ? ` ${limits.join(", ")}` : ""}`;
};

/**
 * Every fault of a value against a schema, each once: the dotted path, what was found and what is
 * expected instead (the nearest known key for an unknown one).
 */
export const listFaults = (schema: TSchema, value: unknown): Fault[] => {
  const faults = new Map<string, Fault>();
  for (const error of Value.Errors(schema, value)) {
    const path = dottedPath(error.path) || "(the whole config)";
    if (faults.has(path)) continue;
    const node = schemaAt(schema, error.path);
    const isUnknown = /unexpected property/i.test(error.message) || node === undefined;
    const isMissing = error.value === undefined && !isUnknown;
    const message = isUnknown
      ? unknownKey(schema, error.path)
      : isMissing
        ? `is missing; it ${expectation(node, error.message)}`
        : `is ${show(error.value)}; it ${expectation(node, error.message)}`;
    faults.set(path, { path, message });
  }
  return [...faults.values()];
};
