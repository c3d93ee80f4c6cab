export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON object: not null, not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The own property of that name; what sits on Object.prototype is never an answer. */
export const own = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** One more step of a JSON pointer (RFC 6901). */
export const pointerTo = (parent: string, key: string | number): string =>
  typeof key === "number" || !/[~/]/.test(key)
    ? `${parent}/${key}`
    : `${parent}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Far beyond what any schema here allows: an input nested deeper must not exhaust the stack before it is refused. */
const MAX_DEPTH = 200;

/**
 * JSON with sorted keys: equal values have equal texts, whatever order they were written in. What is nested
 * deeper than 200 is left out.
 */
export const canonicalJson = (value: unknown, depth = 0): string => {
  if (depth > MAX_DEPTH) return "null";
  const inner = (member: unknown): string => canonicalJson(member, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inner).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${inner(value[key])}`);
  return `{${members.join(",")}}`;
};
