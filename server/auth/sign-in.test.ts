import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeServers, type ServerLab } from "../fixtures/describe-servers.ts";
import { ask, signInOver } from "../fixtures/http-client.ts";

const ENV = { PUBLIC_URL: "https://nightshift.example", SITES_DOMAIN: "sites.example" };

const signingIn = (lab: ServerLab): void => {
  const host = "nightshift.example";
  const signIn = (token: string, headers: Record<string, string> = {}) =>
    ask(lab.server.port, {
      method: "POST",
      path: "/api/session",
      host,
      body: JSON.stringify({ token }),
      headers: { "content-type": "application/json", ...headers },
    });
  test("writes the admin token for its owner alone, and stores no secret", async () => {
    const file = join(lab.server.home, "admin-token");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const made = (await lab.admin.sendJson("/api/tokens", { actions: ["upload"] })).json() as {
      token: string;
    };
    const session = (await signIn(lab.server.adminToken)).headers["set-cookie"]?.[0] ?? "";
    const secrets = [lab.server.adminToken, made.token, /=([^;]+)/.exec(session)?.[1] ?? "none"];
    const stored = await lab.storedText();
    expect(stored).toContain("admin");
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(40);
      expect(stored.includes(secret)).toBe(false);
      expect(stored.includes(secret.slice(11, 54))).toBe(false);
    }
  });

  test("gives a cookie that over https no sibling can plant and no script can read", async () => {
    const answer = await signIn(lab.server.adminToken);
    expect(answer.status).toBe(200);
    expect(answer.headers["set-cookie"]?.[0]).toMatch(
      /^__Host-nightshift-session-[0-9a-f]{16}=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800; Secure$/,
    );
  });

  test.each<[string, Record<string, string>, number]>([
    ["with this page's Origin", { origin: "https://nightshift.example" }, 200],
    ["without an Origin", {}, 403],
    ["with a site's Origin", { origin: "https://docs.sites.example" }, 403],
    ["with a sandboxed page's Origin", { origin: "null" }, 403],
    [
      "from a sibling, as the browser says",
      { origin: "https://nightshift.example", "sec-fetch-site": "same-site" },
      403,
    ],
  ])("with the session's cookie takes a change %s: %i", async (_what, headers, status) => {
    const session = await signInOver(lab.server.port, lab.server.adminToken, { host, scheme: "https" });
    const answer = await ask(lab.server.port, {
      method: "POST",
      path: "/api/collect",
      host,
      body: '{"dryRun":true}',
      headers: { ...session.headers, "content-type": "application/json", ...headers },
    });
    expect(answer.status).toBe(status);
  });

  test("does not sign anybody in for another site's page", async () => {
    expect((await signIn(lab.server.adminToken, { origin: "https://evil.example" })).status).toBe(403);
    expect((await signIn(lab.server.adminToken, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  });

  test("names sites by the public address", async () => {
    const created = await lab.admin.create("docs", { "index.html": `public ${lab.name}` });
    expect(created.siteUrl).toBe("https://docs.sites.example/");
    expect(created.previewUrl).toBe(`https://${created.deployment.id}--docs.sites.example/`);
  });

  // The last one: it uses up what an address may fail.
  test("slows down guessing, and never the holder of a good token", async () => {
    const answers = [];
    for (let guess = 0; guess < 30; guess++) answers.push(await signIn(`guess ${guess}`));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
    expect(statuses.at(-1)).toBe(429);
    expect(Number(answers.at(-1)?.headers["retry-after"])).toBeGreaterThan(0);
    expect((await signIn(lab.server.adminToken)).status).toBe(200);
  });
};

describeServers("signing in", signingIn, ENV);
