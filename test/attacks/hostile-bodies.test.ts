// @module-tag long

import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { describeServers } from "../../server/fixtures/describe-servers.ts";
import { HOSTILE_REQUESTS } from "./hostile-requests.ts";

const CONNECTIONS = 32;
const MAX_GROWTH_BYTES = 512 * 1024 * 1024;
/** Some broken requests are never answered, and their connection is let go after a while. */
const ANSWER_MS = 5_000;

const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
const json = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '{"toString":null}',
    '{"__proto__":{"admin":true},"constructor":1}',
    '{"manifest":[{"path":"index.html","size":1e309,"sha256":"x"}]}',
    '{"manifest":[],"base":"0123456789abcdef","remove":["\\u0000"]}',
    '{"context":"\\ud800","limit":-1}',
    '{"actions":["admin"],"expiresInSeconds":0.5}',
    '{"token":"nightshift_"}',
    "{",
    "\ufeff{}",
    deep,
  ),
);
const body = fc.oneof(
  { weight: 4, arbitrary: json.map((text) => ({ kind: "whole", text })) },
  { weight: 2, arbitrary: json.map((text) => ({ kind: "chunked", text })) },
  { weight: 2, arbitrary: json.map((text) => ({ kind: "cut", text: `${text}${"x".repeat(200)}` })) },
  { weight: 1, arbitrary: fc.constant({ kind: "over-long", text: "a".repeat(64 * 1024) }) },
  { weight: 1, arbitrary: json.map((text) => ({ kind: "both-lengths", text })) },
  { weight: 1, arbitrary: json.map((text) => ({ kind: "bad-chunks", text })) },
  { weight: 1, arbitrary: json.map((text) => ({ kind: "two-lengths", text })) },
);
const PATHS = [
  "/inject",
  "/learn",
  "/query",
  "/learnings/import",
  "/api/session",
  "/api/tokens",
  "/api/collect",
  "/api/import",
  "/api/sites/docs/deployments",
  "/api/sites/..%2f..%2fetc/deployments",
  "/api/deployments/DEPLOYMENT/assets?path=index.html",
  "/api/deployments/DEPLOYMENT/assets?path=%00",
  "/api/deployments/DEPLOYMENT/assets?sha256=zz",
  "/api/deployments/DEPLOYMENT/activate",
  "/api/deployments/DEPLOYMENT/pin",
  "/api/deployments/%E0%A4%A/activate",
  "/api/fleet/host/worker",
  "/__companion/call/listSites",
  "/__companion/call/activateDeployment",
  "/state/p",
  "/health",
  "/nowhere",
];
const hostile = fc.record({
  method: fc.constantFrom("POST", "PUT", "DELETE", "PATCH", "GET"),
  path: fc.constantFrom(...PATHS),
  type: fc.constantFrom("application/json", "application/json", "text/plain", "application/octet-stream", ""),
  isSignedIn: fc.boolean(),
  extra: fc.constantFrom("", "Expect: 100-continue\r\n", "Content-Encoding: gzip\r\n", "Origin: null\r\n"),
  body,
});
type Hostile = {
  method: string;
  path: string;
  type: string;
  isSignedIn: boolean;
  extra: string;
  body: { kind: string; text: string };
};

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** Length headers and body as they go over the wire. */
const framed = ({ kind, text }: Hostile["body"]): string => {
  const length = `Content-Length: ${Buffer.byteLength(text)}\r\n`;
  const chunked = "Transfer-Encoding: chunked\r\n";
  if (kind === "chunked") return `${chunked}\r\n${chunk(text)}0\r\n\r\n`;
  if (kind === "cut") return `${length}\r\n${text.slice(0, -100)}`;
  if (kind === "over-long") return `${chunked}\r\n${chunk(text).repeat(20)}0\r\n\r\n`;
  if (kind === "both-lengths") return `${length}${chunked}\r\n${chunk(text)}0\r\n\r\n`;
  if (kind === "bad-chunks") return `${chunked}\r\nfffffffffffffffff\r\n${text}`;
  if (kind === "two-lengths") return `${length}Content-Length: 3\r\n\r\n${text}`;
  return `${length}\r\n${text}`;
};

describeServers("hostile bodies", (lab) => {
  // PostgreSQL gets the beginning: what is refused is refused before a database is asked.
  const count = Math.ceil(HOSTILE_REQUESTS * (lab.name.endsWith("SQLite") ? 0.3 : 0.1));
  let deployment = "";
  beforeAll(async () => {
    deployment = (await lab.admin.create("docs", { "index.html": "home" })).deployment.id;
  });

  /** The first line of what is answered; empty when the connection ends without one. */
  const send = async (asked: Hostile): Promise<string> => {
    const socket = connect(lab.server.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (part) => {
      answer += part.toString("latin1");
      if (answer.includes("\r\n\r\n") && !answer.startsWith("HTTP/1.1 100")) socket.end();
    });
    socket.on("error", () => {});
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    const token = asked.isSignedIn ? `Authorization: Bearer ${lab.server.adminToken}\r\n` : "";
    const type = asked.type === "" ? "" : `Content-Type: ${asked.type}\r\n`;
    const path = asked.path.replace("DEPLOYMENT", deployment);
    socket.write(`${asked.method} ${path} HTTP/1.1\r\nHost: localhost\r\n${token}${type}${asked.extra}`);
    // A cut one is of somebody who goes away in the middle.
    socket.write(framed(asked.body), () => {
      if (asked.body.kind === "cut") socket.destroy();
    });
    await once(socket, "close");
    return answer.split("\r\n", 1)[0] ?? "";
  };

  const residentBytes = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${lab.server.adminToken}` };
    const text = await (await fetch(`http://127.0.0.1:${lab.server.port}/metrics`, { headers })).text();
    return Number(/^nightshift_process_resident_memory_bytes (\d+)/m.exec(text)?.[1]);
  };

  test(
    `${count} requests with bodies of any kind get never a 5xx, and the server goes on in bounded memory`,
    async () => {
      const asked = fc.sample(hostile, { numRuns: count, seed: 20_261_122 }) as Hostile[];
      const before = await residentBytes();
      const statuses = new Map<string, number>();
      const worker = async (own: Hostile[]): Promise<void> => {
        for (const request of own) {
          const line = await send(request);
          statuses.set(line.slice(9, 12), (statuses.get(line.slice(9, 12)) ?? 0) + 1);
          // A 501 or 505 is the runtime's own parser speaking of what is no HTTP.
          expect([line, request]).toEqual([expect.not.stringMatching(/^HTTP\/1\.1 5(?!01|05)/), request]);
        }
      };
      await Promise.all(
        Array.from({ length: CONNECTIONS }, (_, index) =>
          worker(asked.filter((_, at) => at % CONNECTIONS === index)),
        ),
      );
      for (const status of ["200", "400", "401", "404", "405", "413"])
        expect([status, statuses.has(status)]).toEqual([status, true]);
      expect(await residentBytes()).toBeLessThan(before + MAX_GROWTH_BYTES);
    },
    count * 50 + 60_000,
  );
});
