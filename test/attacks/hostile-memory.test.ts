// @module-tag long

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeServers } from "../../server/fixtures/describe-servers.ts";
import { ask, signInOver } from "../../server/fixtures/http-client.ts";

const secret = (length: number): string => "aB3xQ9zK7mP2".repeat(8).slice(0, length);
/** Texts as they leak into a learning, and the part of each that nobody may read again. */
const LEAKS: [string, string][] = [
  [`export PGPASSWORD=${secret(14)}`, secret(14)],
  [`DB_PASS=${secret(15)} npm start`, secret(15)],
  [`AccountName=x;AccountKey=${secret(86)}==;`, secret(86)],
  [`mail with SG.${secret(22)}.${secret(43)}`, secret(43)],
  [`dop_v1_${"0123456789abcdef".repeat(4)}`, "0123456789abcdef"],
  [`shpat_${"0123456789abcdef".repeat(2)}`, "0123456789abcdef"],
  [`vault token hvs.${secret(95)}`, secret(95)],
  [`password = "correct horse battery staple"`, "battery"],
  [`curl -u admin:${secret(13)} https://git.example`, secret(13)],
];

const REPORT = {
  status: "running",
  session: 1,
  dir: "/srv/atlas",
  task: "docs",
  agent: "Claude Code",
  max: 3,
  costUsd: 1,
  tokens: 2,
  startedAt: "2026-11-20T22:00:00.000Z",
  updatedAt: "2026-11-20T22:00:00.000Z",
};

describeServers("a hostile writer of the memory", (lab) => {
  const mainKey = (): string => readFileSync(join(lab.server.home, "memory-key"), "utf8").trim();
  const send = (method: string, path: string, body?: unknown, key: string | undefined = mainKey()) =>
    ask(lab.server.port, {
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        "content-type": "application/json",
        ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
      },
    });
  const inject = async (context: string): Promise<string> =>
    (await send("POST", "/inject", { context, minStrength: 0, limit: 50 }, "")).text;

  test("has no secret given out to whoever asks: the server's own key and token, and those of others", async () => {
    for (const [at, [text, hidden]] of [
      ...LEAKS,
      [`the key is ${mainKey()}`, mainKey().slice(4)] as const,
      [`the token is ${lab.server.adminToken}`, lab.server.adminToken.slice(11, 50)] as const,
    ].entries()) {
      const trigger = `unlocking the zebra gate ${at}`;
      const stored = await send("POST", "/learn", { trigger, learning: text });
      expect([stored.status, text]).toEqual([200, text]);
      const given = await inject(trigger);
      expect(given).toContain(trigger);
      expect([text, given.includes(hidden)]).toEqual([text, false]);
    }
    const everything = await send("GET", "/learnings/export");
    for (const [, hidden] of LEAKS) expect(everything.text).not.toContain(hidden);
  });

  test("holds nobody up with what a slow pattern would choke on", async () => {
    for (const worst of ["a-", "a_", "A1.", "x:", "'\"", "= ", "//@"]) {
      const value = worst.repeat(Math.floor(64_000 / worst.length));
      expect([worst, (await send("PUT", "/state/p", { notes: value })).status]).toEqual([worst, 200]);
    }
  });

  test("has what cannot be seen taken out, and what needs it kept whole", async () => {
    const family = "👨‍👩‍👧";
    const hidden = "\u{E0154}\u{E0155}\u034F\u200B\u{E0064}\u202E";
    await send("POST", "/learn", {
      trigger: `painting ${hidden}boats`,
      learning: `use ${family} and❤️ ${hidden}blue`,
    });
    const given = await inject("painting boats");
    expect(given).toContain(`use ${family} and❤️ blue`);
    for (const character of hidden) expect(given).not.toContain(character);
  });

  test("cannot hide a letter from the person who approves, nor break what needs what is not seen", async () => {
    const { port, adminToken } = lab.server;
    const session = await signInOver(port, adminToken);
    const headers = {
      ...session.headers,
      origin: `http://localhost:${port}`,
      "content-type": "application/json",
    };
    const held = await ask(port, {
      method: "POST",
      path: "/__companion/call/learn",
      headers,
      body: JSON.stringify({ body: { trigger: "a\u034Fb\u{E0154}c", learning: "👩🏽‍🚀 1️⃣ می‌خواهم" } }),
    });
    const { approval } = held.json() as { approval: string };
    const page = await ask(port, { path: `/__companion/approvals/${approval}`, headers: session.headers });
    expect(page.text).toContain("a⟦U+034F⟧b⟦U+E0154⟧c");
    expect(page.text).toContain("👩🏽‍🚀 1️⃣ می‌خواهم");
    expect(page.text).toContain("invisible characters");
  });

  test("with a key for one scope speaks for no worker and blames no learning of another", async () => {
    const made = await send("POST", "/keys", { writer: "ci", scopes: ["ci"] });
    const { key } = made.json() as { key: string };
    const worker = "/api/fleet/build-1/docs";
    expect((await send("PUT", worker, REPORT)).status).toBe(200);
    expect((await send("PUT", worker, { ...REPORT, status: "failed" }, key)).status).toBe(403);
    expect((await send("DELETE", worker, undefined, key)).status).toBe(403);
    expect((await send("GET", "/api/fleet")).text).toContain('"running"');

    const context = "closing the quarter in the ledger";
    const learned = await send("POST", "/learn", {
      trigger: context,
      learning: "lock it first",
      scope: "finance",
    });
    const { id } = learned.json() as { id: string };
    const told = await send("POST", "/inject", { context, scopes: ["finance"] });
    const { receipt } = told.json() as { receipt: string };
    for (const blame of [
      { receipt, outcome: "fail" },
      { receipt, outcome: "fail", scope: "finance", harmful: 5 },
    ])
      expect((await send("POST", "/outcome", blame, key)).status).toBeGreaterThanOrEqual(400);
    expect((await send("GET", `/learning/${id}`)).json()).toMatchObject({ harmful: 0 });
  });
});
