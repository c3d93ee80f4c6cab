import { expect, test } from "vitest";
import { startTestServer } from "./fixtures/test-server.ts";
import { createHandler } from "./http/handler.ts";
import { createLazyApp } from "./lazy-app.ts";
import { createSilentLog } from "../core/log.ts";
import { createMetrics } from "./http/metrics.ts";

test.each(["node", "bun"] as const)(
  "requests that arrive together with the start are all answered on %s",
  async (runtime) => {
    const server = await startTestServer(runtime);
    try {
      const ask = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
      const paths = ["/health", "/learnings", "/nothing", "/health", "/metrics", "/api/sites", "/health"];
      const answers = await Promise.all(paths.map(ask));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200, 401, 200]);
      for (const { headers } of answers) expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
      const members = new Set<string>();
      for (const answer of [answers[0], answers[3], await ask("/health")])
        members.add(Object.keys((await answer?.json()) as object).join());
      expect([...members]).toEqual(["status,version,uptimeSeconds"]);
      const metrics = await (await ask("/metrics")).text();
      expect(metrics).toContain(
        'nightshift_http_requests_total{method="GET",route="/health",status="200"} 4',
      );
    } finally {
      await server.stop();
    }
  },
);

test.each([
  ["loaded", () => Promise.reject(new Error("no such file"))],
  [
    "wired",
    async () => ({
      createApp: () => {
        throw new Error("two routes of one name");
      },
    }),
  ],
])("a server whose routes cannot be %s does not say that it is well", async (_what, loadRoutes) => {
  const log = createSilentLog();
  const system = {
    version: "1",
    ping: async () => {},
    isStopping: () => false,
    uptimeSeconds: () => 1,
  };
  const app = createLazyApp({ system }, loadRoutes);
  const handler = createHandler({
    app,
    allowedHosts: [],
    bodyLimits: [],
    metrics: createMetrics(),
    log,
    now: () => 0,
  });
  const statusOf = async (path: string) =>
    (await handler(new Request(`http://localhost${path}`, { headers: { host: "localhost" } }))).status;
  expect(await statusOf("/health")).toBe(200);
  expect(await statusOf("/learnings")).toBe(500);
  expect(await statusOf("/health")).toBe(500);
});
