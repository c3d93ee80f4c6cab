import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { hasChromium, openChromium } from "../../test/chromium.ts";
import { signIn } from "../app/fixtures/app-visit.ts";
import { describeServers } from "../fixtures/describe-servers.ts";
import { ask, createPublisher, type SignedIn, signInOver } from "../fixtures/http-client.ts";

const ADMIN = JSON.stringify({ actions: ["admin"], label: "mine now" });

describeServers("whoever got hold of a cookie", (lab) => {
  let session: SignedIn;
  beforeAll(async () => {
    session = await signInOver(lab.server.port, lab.server.adminToken);
  });
  const post = (path: string, headers: Record<string, string>, body = ADMIN) =>
    ask(lab.server.port, {
      method: "POST",
      path,
      body,
      headers: {
        origin: `http://localhost:${lab.server.port}`,
        "content-type": "application/json",
        ...headers,
      },
    });

  test.skipIf(!hasChromium)(
    "a program on another port is handed the cookie by Chromium, and cannot use it",
    async () => {
      const browser = await openChromium();
      await signIn(await browser.context.newPage(), { port: lab.server.port, token: lab.server.adminToken });
      let stolen = "";
      const neighbour = createServer((request, response) => {
        stolen ||= request.headers.cookie ?? "";
        response.end("<title>neighbour</title>");
      });
      await new Promise<void>((resolve) => neighbour.listen(0, "127.0.0.1", resolve));
      const visit = await browser.context.newPage();
      await visit.goto(`http://localhost:${(neighbour.address() as AddressInfo).port}/`);
      const stored = await visit.evaluate(() => localStorage.length);
      await browser.close();
      neighbour.close();
      expect(stolen).toContain("nightshift-session-");
      expect(stored).toBe(0);
      const id = /nightshift-session-([0-9a-f]{16})/.exec(stolen)?.[1] ?? "";
      for (const proof of [undefined, `${id}.${"A".repeat(43)}`]) {
        const headers = { cookie: stolen, ...(proof ? { "x-nightshift-session": proof } : {}) };
        expect((await ask(lab.server.port, { path: "/api/me", headers })).status).toBe(401);
        expect((await post("/api/tokens", headers)).status).toBe(401);
      }
    },
  );

  test("the cookie alone reads nothing, changes nothing and decides nothing", async () => {
    const { cookie } = session;
    for (const path of ["/api/me", "/api/sites", "/api/tokens", "/api/backup", "/api/security-log"])
      expect((await ask(lab.server.port, { path, headers: { cookie } })).status).toBe(401);
    expect((await post("/api/tokens", { cookie })).status).toBe(401);
    expect((await post("/__companion/call/listSites", { cookie }, "{}")).status).toBe(401);
    const held = await post("/__companion/call/forget", session.headers, '{"id":"7"}');
    const { approval, digest } = held.json() as { approval: string; digest: string };
    const opened = await ask(lab.server.port, {
      path: `/__companion/approvals/${approval}`,
      headers: { cookie, "sec-fetch-mode": "navigate" },
    });
    expect(opened.text).toContain("Sign in first");
    expect(opened.text).not.toContain("/learning/7");
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const decide = (more: string) =>
      post(
        `/__companion/approvals/${approval}`,
        { cookie, ...form },
        `decision=approve&digest=${digest}${more}`,
      );
    expect((await decide("")).status).toBe(401);
    const forged = session.session.replace(/^./u, (first) => (first === "A" ? "B" : "A"));
    expect((await decide(`&session=${forged}`)).status).toBe(401);
    expect((await decide(`&session=${session.session}`)).status).toBe(303);
  });

  test("the page's half alone is worth as little", async () => {
    const headers = { "x-nightshift-session": session.session };
    expect((await ask(lab.server.port, { path: "/api/me", headers })).status).toBe(401);
  });

  test("a whole session makes no token: the token itself is asked for again", async () => {
    expect((await ask(lab.server.port, { path: "/api/me", headers: session.headers })).status).toBe(200);
    const refused = await post("/api/tokens", session.headers);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("Authorization: Bearer")]);
    const again = { ...session.headers, authorization: `Bearer ${lab.server.adminToken}` };
    expect((await post("/api/tokens", again)).status).toBe(201);
  });

  test("a token that may do everything ends after 90 days, another one when it is told to", async () => {
    const ends = async (wanted: object): Promise<number | undefined> => {
      const { createdAt, expiresAt } = (await lab.admin.sendJson("/api/tokens", wanted)).json() as {
        createdAt: string;
        expiresAt?: string;
      };
      return expiresAt === undefined ? undefined : (Date.parse(expiresAt) - Date.parse(createdAt)) / 1000;
    };
    expect(await ends({ actions: ["admin"] })).toBe(90 * 86_400);
    expect(await ends({ actions: ["admin"], expiresInSeconds: 60 })).toBe(60);
    expect(await ends({ actions: ["upload"] })).toBeUndefined();
  });

  test("a site that plants cookies over plain http locks nobody out, and makes nobody somebody else", async () => {
    const host = "nightshift.test";
    const options = { host, scheme: "http" };
    const server = await lab.start({ PUBLIC_URL: `http://${host}`, SITES_DOMAIN: host });
    const me = (cookie: string, proof?: string) =>
      ask(server.port, {
        path: "/api/me",
        host,
        headers: { cookie, ...(proof === undefined ? {} : { "x-nightshift-session": proof }) },
      });
    const admin = createPublisher(server.port, server.adminToken);
    const made = (
      await admin.send({
        method: "POST",
        path: "/api/tokens",
        host,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ actions: ["upload"], label: "attacker" }),
      })
    ).json() as { token: string };
    const victim = await signInOver(server.port, server.adminToken, options);
    const attacker = await signInOver(server.port, made.token, options);
    const planted = [attacker.cookie, "nightshift-session=x", `nightshift-session-${"0".repeat(16)}=y`];
    for (const cookies of [
      [...planted, victim.cookie],
      [victim.cookie, ...planted],
    ]) {
      const answer = await me(cookies.join("; "), victim.session);
      expect(answer.json()).toMatchObject({ label: "admin" });
    }
    // Signed out, the victim's page has no half of its own to go with what was planted.
    expect((await me(planted.join("; "))).status).toBe(401);
    expect((await me(planted.join("; "), victim.session)).status).toBe(401);
  });
});
