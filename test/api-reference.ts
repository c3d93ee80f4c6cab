type Schema = { [name: string]: unknown; type?: string; description?: string };
type Operation = {
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses?: Record<
    string,
    { description?: string; content?: Record<string, { schema?: Schema; example?: unknown }> }
  >;
};
export type ApiDocument = { paths: Record<string, Record<string, Operation>> };

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** A schema in a few words, for a table. */
const inWords = (schema: Schema | undefined): string => {
  if (!schema) return "";
  const union = (schema["anyOf"] ?? schema["oneOf"]) as Schema[] | undefined;
  if (union) return [...new Set(union.map(inWords))].join(" or ");
  if (schema["const"] !== undefined) return `\`${JSON.stringify(schema["const"])}\``;
  const bounds = [
    ["minimum", "from "],
    ["maximum", "to "],
    ["maxLength", "at most "],
    ["maxItems", "at most "],
  ].flatMap(([name = "", before = ""]) =>
    schema[name] === undefined ? [] : [`${before}${JSON.stringify(schema[name])}`],
  );
  const of = schema.type === "array" ? ` of ${inWords(schema["items"] as Schema)}` : "";
  return [`${schema.type ?? "anything"}${of}`, ...bounds].join(", ");
};

const rowOf = (
  name: string,
  where: string,
  { schema, required }: { schema: Schema | undefined; required: boolean },
): string =>
  `| \`${name}\` | ${where}${required ? ", required" : ""} | ${cell(inWords(schema))} | ${cell(schema?.description ?? "")} |`;

const inputRows = ({ parameters = [], requestBody }: Operation): string[] => {
  const rows = parameters.map((one) =>
    rowOf(one.name, one.in, { schema: one.schema, required: one.required === true }),
  );
  for (const { schema } of Object.values(requestBody?.content ?? {})) {
    const required = (schema?.["required"] ?? []) as string[];
    for (const [name, property] of Object.entries((schema?.["properties"] ?? {}) as Record<string, Schema>))
      rows.push(rowOf(name, "body", { schema: property, required: required.includes(name) }));
    break;
  }
  return rows.length === 0 ? [] : ["", "| input | where | what | |", "|---|---|---|---|", ...rows];
};

const answerBlocks = ({ responses = {} }: Operation): string[] =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, { content }]) =>
      Object.entries(content ?? {}).flatMap(([type, { example }]) => [
        "",
        `${status}, \`${type}\`:`,
        "",
        "```json",
        typeof example === "string" ? example.trimEnd() : JSON.stringify(example, undefined, 2),
        "```",
      ]),
    );

const problemLine = ({ responses = {} }: Operation): string[] => {
  const problems = Object.entries(responses).filter(([status]) => !status.startsWith("2"));
  return problems.length === 0
    ? []
    : [
        "",
        `Problems: ${problems.map(([status, { description }]) => `${status} (${description})`).join(", ")}.`,
      ];
};

const section = (method: string, path: string, operation: Operation): string =>
  [
    `### ${method.toUpperCase()} ${path}`,
    "",
    `${operation.summary ?? ""}.${operation.security ? " Needs a bearer token." : ""}${operation.description ? ` ${operation.description}` : ""}`,
    ...inputRows(operation),
    ...answerBlocks(operation),
    ...problemLine(operation),
    "",
  ].join("\n");

/** docs/api.md, made from the server's own OpenAPI document. */
export const renderApiReference = ({ paths }: ApiDocument): string => {
  const groups = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "other";
      groups.set(tag, [...(groups.get(tag) ?? []), section(method, path, operation)]);
    }
  return [
    "# Which requests does the server take?",
    "",
    "Made from the OpenAPI document (`/openapi.json` of a running server); `npx vitest run test/api-reference.test.ts -u` writes it, the test compares it. Every error is a problem document ([server.md](server.md#errors)). With a `DATABASE_URL`, every route that needs the database answers 503 with `Retry-After` while that is away.",
    "",
    ...[...groups].flatMap(([tag, sections]) => [`## ${tag}`, "", ...sections]),
  ].join("\n");
};
