import { expect, test } from "vitest";
import { startTestServer } from "./fixtures/test-server.ts";

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
