import { toOpenAPISchema } from "@elysiajs/openapi/openapi";

/** The OpenAPI 3.1 document of every route of the app, made from the same schemas that validate. */
export const buildOpenApi = (
  app: Parameters<typeof toOpenAPISchema>[0],
  version: string,
): Record<string, unknown> => {
  const { paths } = toOpenAPISchema(app);
  return {
    openapi: "3.1.0",
    info: {
      title: "Nightshift",
      version,
      description:
        "Memory, publishing and administration of one Nightshift server. Every error is an RFC 9457 problem with `error`, `code` and `errors`.",
    },
    servers: [{ url: "/" }],
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    paths,
  };
};
