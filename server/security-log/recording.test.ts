import { beforeEach, describe, expect, test } from "vitest";
import { DATABASES } from "../fixtures/test-server.ts";
import { MAX_TEST_LINES, type TestStores, useStores } from "../fixtures/use-stores.ts";
import { readMark, type SecurityEvent } from "./chain.ts";
import { createSecurityLog, type SecurityLog } from "./recorder.ts";
import { readLines, type SecurityLogStore, verifyStore } from "./store.ts";

const linesOf = async (store: SecurityLogStore): Promise<SecurityEvent[]> => {
  const lines: SecurityEvent[] = [];
  for await (const line of readLines(store, { after: 0, upTo: Infinity }))
    lines.push(JSON.parse(line) as SecurityEvent);
  return lines;
};

describe.each(DATABASES)("the security log on %s", (database) => {
  const lab = useStores(database);
  const it = test.skipIf(lab.isMissing);
  let opened: TestStores;
  let store: SecurityLogStore;
  let failures: unknown[];
  let log: SecurityLog;
  beforeEach(async () => {
    if (lab.isMissing) return;
    opened = await lab.open();
    store = opened.stores.securityLog;
    failures = [];
    log = createSecurityLog({ store, now: () => 5000, onError: (error) => failures.push(error) });
    return () => log.close();
  });

  it("servers that write at the same time write one chain", async () => {
    const other = (await opened.another()).securityLog;
    const event = { at: 1, event: "sign-in", outcome: "ok" as const };
    await Promise.all(
      Array.from({ length: 20 }, (_, nth) => (nth % 2 ? store : other).add([event, { ...event, at: 2 }])),
    );
    expect(await verifyStore(store)).toMatchObject({ ok: true, lines: 40 });
    expect((await other.head()).number).toBe(40);
  });

  it.each([
    ["changed", "UPDATE security_log SET line = replace(line, 'p3', 'p4') WHERE number = 3"],
    ["removed", "DELETE FROM security_log WHERE number = 3"],
    ["taken off the beginning", "DELETE FROM security_log WHERE number = 1"],
    ["taken off the end", "DELETE FROM security_log WHERE number = 5"],
    [
      "taken off the end, with the head",
      "DELETE FROM security_log WHERE number = 5; UPDATE security_log_head SET number = 4",
    ],
    [
      "exchanged",
      "UPDATE security_log SET number = 9 WHERE number = 2; UPDATE security_log SET number = 2 WHERE number = 3; UPDATE security_log SET number = 3 WHERE number = 9",
    ],
    ["everything", "DELETE FROM security_log"],
  ])("is found out when a line was %s behind the server's back", async (_what, statement) => {
    for (let nth = 1; nth <= 5; nth++)
      await log.note({ event: "sign-in", outcome: "ok", principal: `p${nth}` });
    expect(await verifyStore(store)).toMatchObject({ ok: true, lines: 5 });
    await opened.meddle(statement);
    expect(await verifyStore(store)).toMatchObject({ ok: false });
  });

  it("one that cuts the end, and has the server's own head say so, is found out by a line that was noted", async () => {
    for (let nth = 1; nth <= 5; nth++)
      await log.note({ event: "sign-in", outcome: "ok", principal: `p${nth}` });
    const { newest = "" } = await verifyStore(store);
    const noted = readMark(newest);
    expect(await verifyStore(store, noted)).toMatchObject({ ok: true });
    const [line] = await store.read(2, 1);
    const { digest } = JSON.parse(line?.line ?? "") as { digest: string };
    await opened.meddle(
      `DELETE FROM security_log WHERE number > 3; UPDATE security_log_head SET number = 3, digest = '${digest}'`,
    );
    expect(await verifyStore(store)).toMatchObject({ ok: true, lines: 3 });
    expect(await verifyStore(store, noted)).toMatchObject({ ok: false });
    for (let nth = 4; nth <= 6; nth++) await log.note({ event: "sign-in", outcome: "ok", principal: "x" });
    expect(await verifyStore(store)).toMatchObject({ ok: true, lines: 6 });
    expect(await verifyStore(store, noted)).toMatchObject({ ok: false });
  });

  it("the oldest lines make room, and the chain is whole without them", async () => {
    for (let nth = 0; nth < MAX_TEST_LINES * 3; nth++)
      await log.note({ event: "sign-in", outcome: "ok", principal: `p${nth}` });
    const lines = await linesOf(store);
    expect(lines.length).toBeLessThanOrEqual(MAX_TEST_LINES + 1);
    expect(lines.filter(({ principal }) => principal === `p${MAX_TEST_LINES * 3 - 1}`)).toHaveLength(1);
    expect(await verifyStore(store)).toMatchObject({ ok: true, lines: lines.length });
    await opened.meddle("DELETE FROM security_log WHERE number = (SELECT min(number) FROM security_log)");
    expect(await verifyStore(store)).toMatchObject({ ok: false });
  });

  it("a storm of refusals is a few lines with numbers, and pushes nothing out", async () => {
    await log.note({ event: "token-made", outcome: "ok", principal: "admin" });
    for (let nth = 0; nth < 5000; nth++)
      await log.note({
        event: "refusal",
        outcome: "refused",
        address: `192.0.2.${nth % 250}`,
        status: 401,
        request: `GET /${nth}`,
      });
    await log.note({ event: "token-revoked", outcome: "ok", principal: "admin" });
    await log.flush();
    const lines = await linesOf(store);
    expect(lines.length).toBeLessThanOrEqual(MAX_TEST_LINES);
    expect(lines.map(({ event }) => event)).toEqual(expect.arrayContaining(["token-made", "token-revoked"]));
    const refused = lines.filter(({ event }) => event === "refusal");
    const told = refused.filter(({ again }) => again === undefined).length;
    expect(told + refused.reduce((sum, { again = 0 }) => sum + again, 0)).toBe(5000);
    expect(await verifyStore(store)).toMatchObject({ ok: true, lines: lines.length });
  });

  it("a log that cannot be written is told to the operator, and stops nobody", async () => {
    await opened.meddle("DROP TABLE security_log");
    await log.note({ event: "sign-in", outcome: "ok" });
    expect(failures).toHaveLength(1);
  });
});
