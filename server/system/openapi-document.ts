import { toOpenAPISchema } from "@elysiajs/openapi/openapi";

/** The OpenAPI 3.1 document of every route of the app, made from the same schemas that validate. */
export const buildOpenApi = (
  app: Parameters<typeof toOpenAPISchema>[0],
  version: string,
): Record<string, unknown> => {
  const { paths } = toOpenAPISchema(app);
  for (const item of Object.values(paths))
    for (const operation of Object.values(item as Record<string, Operation>))
      for (const parameter of operation.parameters ?? []) parameter.schema = plainNumber(parameter.schema);
  return {
    openapi: "3.1.0",
    info: {
      title: "Nightshift",
      version,
      description:
        "Memory, publishing and administration of one Nightshift server. Every error is an RFC 9457 problem with `error`, `code` and `errors`. While a database that servers share is away, every route that needs it answers 503 with `Retry-After`.",
    },
    servers: [{ url: "/" }],
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    paths,
  };
};

type Operation = { parameters?: { schema?: Schema }[] };
type Schema = { type?: string; format?: string; anyOf?: Schema[] } | undefined;

/** Elysia describes a number of the query as "a text, or a number"; in a URL the two are the same. */
const plainNumber = (schema: Schema): Schema => {
  const [text, number] = schema?.anyOf ?? [];
  const isNumberAsText = text?.type === "string" && /^(?:integer|numeric)$/.test(text.format ?? "");
  return isNumberAsText && /^(?:integer|number)$/.test(number?.type ?? "") ? number : schema;
};
