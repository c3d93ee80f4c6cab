import type { Value } from "./steps.ts";

/** A row in the program's names: `created_at` is `createdAt`, and NULL is undefined. */
export const named = <T extends object>(row: object): T =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      (value as unknown) ?? undefined,
    ]),
  ) as T;

const toColumn = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What puts fields into a table as one row, in the columns that have their names. */
export const insertion = (
  table: string,
  fields: Readonly<Record<string, Value | undefined>>,
): [text: string, values: Value[]] => {
  const columns = Object.keys(fields).map(toColumn).join(", ");
  const values = Object.values(fields).map((value) => value ?? null);
  const places = values.map((_, at) => `$${at + 1}`).join(", ");
  return [`INSERT INTO ${table} (${columns}) VALUES (${places})`, values];
};
