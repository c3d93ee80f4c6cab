/** A JSON object of unknown shape, read field by field: agents add and change fields between versions. */
export type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const parseObject = (line: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The object at a path; an empty one where there is none. */
export const objectAt = (from: Json, ...path: string[]): Json => {
  let at: unknown = from;
  for (const key of path) at = isObject(at) ? at[key] : undefined;
  return isObject(at) ? at : {};
};

export const listAt = (from: Json, key: string): Json[] => {
  const value = from[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
};

export const textAt = (from: Json, key: string): string | undefined => {
  const value = from[key];
  return typeof value === "string" ? value : undefined;
};

export const numberAt = (from: Json, key: string): number | undefined => {
  const value = from[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/** The sum of token counts that may each be absent. */
export const sumAt = (from: Json, ...keys: string[]): number =>
  keys.reduce((sum, key) => sum + (numberAt(from, key) ?? 0), 0);
