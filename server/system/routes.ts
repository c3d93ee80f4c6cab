import { type AnyElysia, Elysia } from "elysia";
import { type Static, Type } from "../../core/schema.ts";
import type { Metrics } from "../http/metrics.ts";
import { documented } from "../http/route-docs.ts";
import { buildOpenApi } from "./openapi-document.ts";
import { renderOpenApiPage } from "./openapi-page.ts";

export type SystemPorts = {
  version: string;
  /** Asks the database for its pulse; throws when it has none. */
  ping: () => Promise<void>;
  isStopping: () => boolean;
  uptimeSeconds: () => number;
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
  return new Elysia({ name: "system", tags: ["system"] })
    .get(
      "/health",
      async ({ set }): Promise<Static<typeof Health>> => {
        const isUp = !ports.isStopping();
        if (isUp) await ports.ping();
        else set.status = 503;
        const uptimeSeconds = Math.round(ports.uptimeSeconds() * 10) / 10;
        return { status: isUp ? "ok" : "stopping", version: ports.version, uptimeSeconds };
      },
      documented({
        summary: "Whether the server and its database answer",
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
