import type { Fault } from "./errors.ts";

const MEANING = Symbol("meaning");

/** What a value must be beyond its types; looks at values of any kind, because types may be wrong, too. */
export type Meaning = (value: Readonly<Record<string, unknown>>) => Fault[];

/** A schema that knows more than types, so that whoever is refused is told every fault at once. */
export const withMeaning = <Schema extends object>(schema: Schema, meaning: Meaning): Schema =>
  Object.assign(schema, { [MEANING]: meaning });

/** The faults of meaning that a value has by its schema. */
export const meaningFaults = (schema: unknown, value: unknown): Fault[] => {
  const meaning = (schema as { [MEANING]?: Meaning } | undefined)?.[MEANING];
  return meaning && typeof value === "object" && value !== null && !Array.isArray(value)
    ? meaning(value as Record<string, unknown>)
    : [];
};
