import type { Fault } from "../errors.ts";
import { nearestName } from "../nearest-name.ts";
import { type TSchema, Value } from "../schema.ts";
import { findChoices } from "../schema-fault.ts";

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
    .map(unescape)
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
const unescape = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
const lastPart = (pointer: string): string => unescape(pointer.slice(pointer.lastIndexOf("/") + 1));

const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce((at: unknown, part) => (Object(at) as Record<string, unknown>)[unescape(part)], value);

/** TypeBox names only the first key of a record that is no name; all of them are to be told at once. */
const besides = (schema: TSchema, value: unknown, pointer: string): string[] => {
  const parent = schemaAt(schema, parentOf(pointer));
  const pattern = parent?.properties ? undefined : Object.keys(parent?.patternProperties ?? {})[0];
  if (pattern === undefined) return [pointer];
  const record = valueAt(value, parentOf(pointer));
  const wrong = Object.keys(Object(record))
    .filter((key) => !new RegExp(pattern).test(key))
    .map((key) => `${parentOf(pointer)}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return wrong.length > 0 ? wrong : [pointer];
};

const KEY_FILE =
  "a project may not say which file of yours holds a key; name it in the environment (MEMORY_API_KEY_FILE, EMBEDDINGS_KEY_FILE) or with: nightshift login <server> --key-file <file>";

/** Keys that a config may no longer have, with what to do in their place. */
const REFUSED: Record<string, string> = {
  "/memory/keyFile": KEY_FILE,
  "/memory/embeddings/keyFile": KEY_FILE,
};

const unknownKey = (root: TSchema, pointer: string): string => {
  const refused = REFUSED[pointer];
  if (refused !== undefined) return refused;
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
  const choices = findChoices(node);
  if (choices !== undefined) return `must be one of ${choices}`;
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
  const add = (pointer: string, message: string): void => {
    const path = dottedPath(pointer) || "(the whole config)";
    if (!faults.has(path)) faults.set(path, { path, message });
  };
  for (const error of Value.Errors(schema, value)) {
    const node = schemaAt(schema, error.path);
    if (/unexpected property/i.test(error.message) || node === undefined)
      for (const pointer of besides(schema, value, error.path)) add(pointer, unknownKey(schema, pointer));
    else if (error.value === undefined) add(error.path, `is missing; it ${expectation(node, error.message)}`);
    else {
      const off =
        error.value === false && node.properties?.["enabled"] ? "; to switch it off: { enabled: false }" : "";
      add(error.path, `is ${show(error.value)}; it ${expectation(node, error.message)}${off}`);
    }
  }
  return [...faults.values()];
};
