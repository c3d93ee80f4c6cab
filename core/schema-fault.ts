type Node = { anyOf?: { const?: unknown }[] };

/** The values that a choice of literals allows, as one writes them; undefined for any other schema. */
export const findChoices = (schema: object | undefined): string | undefined => {
  const { anyOf = [] } = (schema ?? {}) as Node;
  const values = anyOf.map((choice) => choice.const);
  return values.length === 0 || values.includes(undefined)
    ? undefined
    : values.map((value) => JSON.stringify(value)).join(", ");
};

/** What TypeBox finds wrong with a value; of a choice it says only that it is one ("Expected union value"). */
export const faultMessage = ({ message, schema }: { message: string; schema?: object }): string => {
  const choices = findChoices(schema);
  return choices === undefined ? message : `Expected one of ${choices}`;
};
