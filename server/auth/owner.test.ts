import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSilentLog } from "../../core/log.ts";
import { ask, createPublisher, signInOver } from "../fixtures/http-client.ts";
import { RUNTIMES, startTestServer } from "../fixtures/test-server.ts";
import { readSettings } from "../settings.ts";
import { startServer } from "../start.ts";

const signIn = (port: number, token: string) =>
  ask(port, {
    method: "POST",
    path: "/api/session",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });

test.each(RUNTIMES)(
  "the owner who revokes the server's own token is told how to get in again, on %s",
  async (runtime) => {
    const server = await startTestServer(runtime);
    const file = join(server.home, "admin-token");
    const admin = createPublisher(server.port, server.adminToken);
    const { headers } = await signInOver(server.port, server.adminToken);
    const { token: id } = (await admin.send({ path: "/api/me" })).json() as { token: string };
    const made = (await admin.sendJson("/api/tokens", { actions: ["admin"] })).json() as {
      id: string;
      token: string;
    };
    const other = createPublisher(server.port, made.token);
    const own = await other.send({ method: "DELETE", path: `/api/tokens/${made.id}` });
    expect(own.json()).toMatchObject({ notice: "This was your own token; sign in with another one" });
    const revoked = await admin.send({ method: "DELETE", path: `/api/tokens/${id}` });
    expect((revoked.json() as { notice: string }).notice).toContain(`${file} held this token; restart`);
    expect((await ask(server.port, { path: "/api/me", headers })).status).toBe(401);
    const dead = await signIn(server.port, server.adminToken);
    expect([dead.status, dead.text]).toEqual([401, expect.stringContaining(`${file} holds a token`)]);
    // Whoever does not have the text of the file is told nothing of it.
    writeFileSync(file, "something else\n");
    expect((await signIn(server.port, server.adminToken)).text).not.toContain(file);
    await server.stop();
  },
);

test.each(RUNTIMES)(
  "the sign-in page names the real folder to the owner's machine alone, on %s",
  async (runtime) => {
    const server = await startTestServer(runtime);
    const shown = `data-token-file="${join(server.home, "admin-token")}"`;
    expect((await ask(server.port, { path: "/app" })).text).toContain(shown);
    const proxied = await ask(server.port, { path: "/app", headers: { "x-forwarded-for": "203.0.113.9" } });
    expect(proxied.text).not.toContain(server.home);
    await server.stop();
  },
);

test.each([
  ["on every address without TLS", { HOST: "0.0.0.0" }, 1],
  ["behind a proxy with plain http", { HOST: "0.0.0.0", PUBLIC_URL: "http://nightshift.example" }, 1],
  ["behind a proxy with TLS", { HOST: "0.0.0.0", PUBLIC_URL: "https://nightshift.example" }, 0],
  ["on loopback", {}, 0],
])(
  "warns whoever starts a server %s of what crosses the network in the clear",
  async (_where, env, count) => {
    const home = mkdtempSync(join(tmpdir(), "nightshift-lan-"));
    const settings = readSettings({ NIGHTSHIFT_HOME: home, MEMORY_API_KEY_FILE: join(home, "key"), ...env });
    const warnings: string[] = [];
    const log = { ...createSilentLog(), warn: (_fields: object, message: string) => warnings.push(message) };
    const server = await startServer({ ...settings, port: 0 }, { log });
    await server.stop();
    rmSync(home, { recursive: true });
    expect(warnings.filter((text) => /without TLS.*in the clear.*PUBLIC_URL/.test(text))).toHaveLength(count);
  },
);
