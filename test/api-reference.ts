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
/** What each operation (`GET /health`) was answered; a tar has no example. */
export type Answers = Map<string, { status: string; type: string; example: string | undefined }>;

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

const answerLines = (answer: ReturnType<Answers["get"]>): string[] => {
  if (!answer) return [];
  const { status, type, example } = answer;
  return example === undefined
    ? ["", `${status}, \`${type}\`.`]
    : ["", `${status}, \`${type}\`:`, "", `\`\`\`${/json/.test(type) ? "json" : "text"}`, example, "```"];
};

const problemLine = ({ responses = {} }: Operation): string[] => {
  const problems = Object.entries(responses).filter(([status]) => !status.startsWith("2"));
  return problems.length === 0
    ? []
    : [
        "",
        `Problems: ${problems.map(([status, { description }]) => `${status} (${description})`).join(", ")}.`,
      ];
};

const section = (name: string, operation: Operation, answers: Answers): string =>
  [
    `### ${name}`,
    "",
    `${operation.summary ?? ""}.${operation.security ? " Needs a bearer token." : ""}${operation.description ? ` ${operation.description}` : ""}`,
    ...inputRows(operation),
    ...answerLines(answers.get(name)),
    ...problemLine(operation),
    "",
  ].join("\n");

/** The answers that a page shows. */
export const readAnswers = (page: string): Answers =>
  new Map(
    page.split(/^### /m).flatMap((text) => {
      const name = text.split("\n", 1)[0] ?? "";
      const [, status, type, example] = /^(\d+), `(.+)`:\n\n```\w+\n(.*?)\n```$/ms.exec(text) ?? [];
      return status === undefined || type === undefined ? [] : [[name, { status, type, example }]];
    }),
  );

/** docs/api.md, made from the server's own OpenAPI document and from what it answered. */
export const renderApiReference = ({ paths }: ApiDocument, answers: Answers): string => {
  const groups = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "other";
      groups.set(tag, [
        ...(groups.get(tag) ?? []),
        section(`${method.toUpperCase()} ${path}`, operation, answers),
      ]);
    }
  return [
    "# Which requests does the server take?",
    "",
    "Made from the OpenAPI document (`/openapi.json` of a running server); `npx vitest run test/api-reference.test.ts -u` writes it, the test compares it. Each answer shown is one that a server gave in that test: ids, digests and ports are replaced by fixed ones, secrets by `…`; a list of objects shows its first, a text its first lines. Every error is a problem document ([server.md](server.md#errors)). With a `DATABASE_URL`, every route that needs the database answers 503 with `Retry-After` while that is away.",
    "",
    ...[...groups].flatMap(([tag, sections]) => [`## ${tag}`, "", ...sections]),
  ].join("\n");
};
