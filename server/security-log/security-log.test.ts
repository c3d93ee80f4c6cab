import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { ask, createPublisher, signInOver } from "../fixtures/http-client.ts";
import type { SecurityEvent } from "./chain.ts";
import { verifyLines } from "./chain.ts";

describeServers("the security log", (lab) => {
  let key: string;
  beforeAll(() => {
    key = readFileSync(join(lab.server.home, "memory-key"), "utf8").trim();
  });
  const readText = async (): Promise<string> => (await lab.admin.send({ path: "/api/security-log" })).text;
  const read = async (): Promise<SecurityEvent[]> =>
    (await readText())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as SecurityEvent);
  const withKey = (method: string, path: string, body: unknown, as = key) =>
    ask(lab.server.port, {
      method,
      path,
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
    });

  test("tells who came in, who was turned away, and what was changed about it", async () => {
    const session = await signInOver(lab.server.port, lab.server.adminToken);
    const signedIn = { ...session.headers, origin: `http://localhost:${lab.server.port}` };
    const token = (await lab.admin.sendJson("/api/tokens", { actions: ["upload"], site: "docs" })).json() as {
      id: string;
      token: string;
    };
    const upload = createPublisher(lab.server.port, token.token);
    expect((await upload.sendJson("/api/tokens", { actions: ["admin"] })).status).toBe(403);
    await ask(lab.server.port, {
      method: "POST",
      path: "/api/session",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: "guess" }),
    });
    await ask(lab.server.port, { path: "/api/sites", headers: { origin: "https://evil.example" } });
    await ask(lab.server.port, {
      method: "POST",
      path: "/api/collect",
      headers: { ...signedIn, origin: "https://evil.example" },
    });
    await lab.admin.publish("docs", { "index.html": "<h1>docs</h1>" });
    await lab.admin.send({ method: "DELETE", path: `/api/tokens/${token.id}` });
    const made = (await withKey("POST", "/keys", { writer: "ci" })).json() as { id: string; key: string };
    await withKey("PUT", "/state/atlas", { status: "paused" }, made.key);
    await withKey("DELETE", `/keys/${made.id}`, "");
    await withKey("POST", "/learnings/import", '{"trigger":"a b","learning":"c d"}\n');
    await withKey("GET", "/stats", "", "nsm_wrong");
    await lab.admin.send({ path: "/api/backup" });
    const held = await ask(lab.server.port, {
      method: "POST",
      path: "/__companion/call/forget",
      headers: { ...signedIn, "content-type": "application/json" },
      body: '{"id":"7"}',
    });
    const { approval, digest } = held.json() as { approval: string; digest: string };
    await ask(lab.server.port, {
      method: "POST",
      path: `/__companion/approvals/${approval}`,
      headers: { ...signedIn, "content-type": "application/x-www-form-urlencoded" },
      body: `decision=deny&digest=${digest}`,
    });
    await ask(lab.server.port, { method: "DELETE", path: "/api/session", headers: signedIn });

    const lines = await read();
    const admins = expect.stringMatching(/^token admin \(tok_[0-9a-f]{16}\)$/);
    const address = expect.stringMatching(/^(?:::ffff:)?127\.0\.0\.1$/);
    for (const line of [
      { event: "sign-in", outcome: "ok", principal: admins, status: 200 },
      { event: "token-made", outcome: "ok", principal: admins, subject: expect.stringContaining(token.id) },
      { event: "token-made", outcome: "refused", principal: expect.stringContaining(token.id), status: 403 },
      { event: "sign-in", outcome: "refused", status: 401 },
      { event: "refusal", outcome: "refused", request: "POST /api/collect", status: 403 },
      { event: "activation", outcome: "ok", principal: admins },
      { event: "token-revoked", outcome: "ok", principal: admins, subject: token.id },
      { event: "key-made", outcome: "ok", principal: "key main", subject: "write key of ci for shared" },
      { event: "steering", outcome: "ok", principal: "key ci", request: "PUT /state/atlas" },
      { event: "key-revoked", outcome: "ok", principal: "key main" },
      { event: "import", outcome: "ok", principal: "key main" },
      // The wrong key was the second such refusal of this address: counted.
      { event: "refusal", outcome: "refused", request: "GET /api/sites", status: 401, again: 1 },
      // PostgreSQL is backed up by its own tools; that somebody tried is told all the same.
      { event: "backup", outcome: lab.name.endsWith("SQLite") ? "ok" : "failed", principal: admins },
      { event: "approval", outcome: "ok", principal: admins, subject: "deny forget: DELETE /learning/7" },
      { event: "sign-out", outcome: "ok", principal: admins },
    ])
      expect(lines).toContainEqual(
        expect.objectContaining({ ...line, address, at: expect.stringMatching(/Z$/) as string }),
      );
  });

  test("holds no secret, whatever somebody sends", async () => {
    const secrets = [lab.server.adminToken, key, "nightshift_".padEnd(62, "A")];
    for (const secret of secrets) {
      await lab.admin.send({ method: "DELETE", path: `/api/tokens/${secret}?token=${secret}` });
      await ask(lab.server.port, {
        path: `/api/sites/${secret}`,
        headers: { authorization: `Bearer ${secret}x` },
      });
    }
    const text = await readText();
    for (const secret of secrets) expect(text).not.toContain(secret.slice(11, 50));
  });

  test("is whole as it is exported, and says so itself", async () => {
    const lines = (await readText()).trim().split("\n");
    const whole = await verifyLines(lines);
    expect(whole).toMatchObject({ ok: true, lines: lines.length });
    const path = "/api/security-log/verify";
    expect((await lab.admin.send({ path })).json()).toMatchObject({ ok: true });
    expect((await lab.admin.send({ path: `${path}?seen=${whole.newest}` })).json()).toMatchObject({
      ok: true,
    });
    const other = whole.newest?.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    expect((await lab.admin.send({ path: `${path}?seen=${other}` })).json()).toMatchObject({ ok: false });
    expect((await lab.admin.send({ path: `${path}?seen=7` })).status).toBe(400);
    const last = (await lab.admin.send({ path: "/api/security-log?last=2" })).text.trim().split("\n");
    expect(last).toHaveLength(2);
  });

  test("is for administrators alone", async () => {
    const made = (
      await lab.admin.sendJson("/api/tokens", { actions: ["upload", "activate", "delete"] })
    ).json() as {
      token: string;
    };
    const publisher = createPublisher(lab.server.port, made.token);
    for (const path of ["/api/security-log", "/api/security-log/verify"]) {
      expect((await publisher.send({ path })).status).toBe(403);
      expect((await ask(lab.server.port, { path })).status).toBe(401);
    }
  });
});
