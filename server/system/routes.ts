import { type AnyElysia, Elysia } from "elysia";
import { Type } from "../../core/schema.ts";
import type { Metrics } from "../http/metrics.ts";
import { documented } from "../http/route-docs.ts";
import { answerHealth, HEALTH_PATH, type HealthPorts } from "./health.ts";
import { buildOpenApi } from "./openapi-document.ts";
import { renderOpenApiPage } from "./openapi-page.ts";

export type SystemPorts = HealthPorts & {
  metrics: Metrics;
  /** throws for a stranger from elsewhere */
  admit: (request: Request) => Promise<void>;
};

const Health = Type.Object({
  status: Type.String({ description: "`ok`; a server that is stopping answers 503" }),
  version: Type.String(),
  uptimeSeconds: Type.Number(),
});

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

/** What operators and tools ask: health, metrics and the description of every route. */
export const systemRoutes = (ports: SystemPorts, app: () => AnyElysia) => {
  let document: Record<string, unknown> | undefined;
  const describeTo = async (request: Request): Promise<Record<string, unknown>> => {
    await ports.admit(request);
    return (document ??= buildOpenApi(app(), ports.version));
  };
  return new Elysia({ name: "system" })
    .get(
      HEALTH_PATH,
      async ({ set }) => {
        const { status, body } = await answerHealth(ports);
        set.status = status;
        return body;
      },
      documented({
        summary: "Whether the server and its database answer",
        tag: "system",
        response: Health,
        errors: ["unavailable"],
      }),
    )
    .get(
      "/metrics",
      async ({ request }) => {
        await ports.admit(request);
        return new Response(await ports.metrics.render(), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        });
      },
      documented({
        summary: "Counters and latencies in Prometheus' text format",
        description: "Off loopback it asks for any token or key.",
        tag: "system",
        contentType: "text/plain",
        response: Type.String(),
        errors: ["unauthorized"],
      }),
    )
    .get("/openapi.json", ({ request }) => describeTo(request), { detail: { hide: true } })
    .get("/openapi/json", ({ request }) => describeTo(request), { detail: { hide: true } })
    .get(
      "/openapi",
      async ({ request }) => {
        const document = await describeTo(request);
        return request.headers.get("accept")?.includes("application/json")
          ? document
          : new Response(renderOpenApiPage(document), { headers: PAGE_HEADERS });
      },
      { detail: { hide: true } },
    );
};
