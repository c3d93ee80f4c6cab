import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBubblewrap } from "../../sandbox/find-bubblewrap.ts";
import { say, WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
let server: Server;
beforeEach(async () => {
  lab = new WorkerLab();
  server = createServer((_, response) => response.end("answer"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await lab.dispose();
  server.closeAllConnections();
  server.close();
});

/** Asks the proxy for a host; exit code 0 where it was let through. */
const CALL = `const [host] = process.argv.slice(2);
const { hostname, port } = new URL(process.env.HTTP_PROXY);
const request = require("node:http").request({ host: hostname, port, method: "CONNECT", path: host });
request.on("connect", ({ statusCode }, socket) => {
  if (statusCode !== 200) process.exit(1);
  socket.on("data", () => process.exit(0));
  socket.write("GET / HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n");
});
request.end();
`;

test.skipIf("problem" in findBubblewrap(process.env))(
  "the report says whom the sessions called and whom they were refused, in text and in JSON",
  async () => {
    const { port } = server.address() as AddressInfo;
    lab.put("call.cjs", CALL);
    const allowed = `127.0.0.1:${port}`;
    const call = (host: string) => ({ do: "run" as const, command: `node call.cjs ${host}` });
    lab.play(
      {
        parts: [
          {
            steps: [
              call(allowed),
              call(allowed),
              call("evil.example:443"),
              { do: "usage", contextTokens: 190_000, windowTokens: 200_000 },
              say("too full"),
            ],
            note: "HANDOFF: once more",
          },
          { steps: [call(allowed), say("DONE: called")] },
        ],
      },
      { sandbox: { network: { allow: [allowed] } } },
    );
    expect((await lab.run("nightshift", ["trust", "--yes"])).code).toBe(0);
    await lab.start("docs");
    await lab.ended("docs");

    const { out: json } = await lab.worker("report", "docs", "--json");
    const [worker] = (JSON.parse(json) as { workers: { calls: Record<string, unknown>[] }[] }).workers;
    expect(worker?.calls).toEqual([
      expect.objectContaining({ host: "evil.example", port: 443, verdict: "refused", times: 1 }),
      expect.objectContaining({ host: "127.0.0.1", port, verdict: "allowed", times: 3 }),
    ]);
    expect(worker?.calls[1]?.["bytesReceived"]).toBeGreaterThan(3 * "answer".length);

    const { out: text } = await lab.worker("report", "docs");
    expect(text).toMatch(/refused {2}evil\.example {2}once: not in network\.allow/);
    expect(text).toMatch(/called 1 host, \d+ B sent/);
    const { out: page } = await lab.worker("report", "docs", "--markdown");
    expect(page).toContain(`127.0.0.1:${port}  3 times`);
  },
);
