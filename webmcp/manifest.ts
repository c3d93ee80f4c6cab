import type { GeneratedTool, JsonSchema, ToolDescriptor } from "./types.ts";

/**
 * A tool as it is published: what a browser needs to offer it, nothing about the request behind it. The schema
 * is cut down to the keywords that the standard's draft on input validation keeps (webmachinelearning/webmcp#289);
 * a browser that follows it refuses a tool with any other. What is cut is said in words, and enforced on calls.
 */
export const describeTool = ({
  name,
  title,
  description,
  inputSchema,
  annotations,
}: GeneratedTool): ToolDescriptor => ({
  name,
  ...(title === undefined ? {} : { title }),
  description,
  inputSchema: {
    ...portableSchema(inputSchema),
    type: "object",
    properties: portableProperties(inputSchema.properties),
    required: inputSchema.required,
    additionalProperties: false,
  },
  annotations,
});

const portableProperties = (properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, portableSchema(schema)]));

const portableSchema = (schema: JsonSchema): JsonSchema => {
  const { minItems, maxItems, uniqueItems, multipleOf, const: fixed, description, ...rest } = schema;
  const limits = [
    itemLimit(minItems, maxItems),
    uniqueItems === true ? "no repeats" : "",
    multipleOf === undefined ? "" : `a multiple of ${multipleOf}`,
  ].filter((text) => text !== "");
  const said = limits.length === 0 ? "" : `(${limits.join(", ")})`;
  const text = [description ?? "", said].filter((part) => part !== "").join(" ");
  const { properties, items } = rest;
  return {
    ...rest,
    ...(text === "" ? {} : { description: text }),
    ...(fixed === undefined ? {} : { enum: [fixed] }),
    ...(properties === undefined ? {} : { properties: portableProperties(properties) }),
    ...(items === undefined ? {} : { items: portableSchema(items) }),
  };
};

const itemLimit = (minItems: number | undefined, maxItems: number | undefined): string => {
  if (maxItems === undefined) return minItems === undefined ? "" : `at least ${minItems} items`;
  return minItems === undefined || minItems === 0
    ? `at most ${maxItems} items`
    : `${minItems} to ${maxItems} items`;
};
