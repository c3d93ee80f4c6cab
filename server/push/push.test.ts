import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDevice } from "../../notify/fixtures/push-service.ts";
import { openPush } from "../../scripts/command/open-push.ts";
import { describeEngines } from "../memory/fixtures/engines.ts";
import { type MemoryServer, startMemoryServer } from "../memory/fixtures/start-memory-server.ts";

describeEngines((engine) => {
  let server: MemoryServer;
  let admin = "";
  beforeAll(async () => {
    server = await startMemoryServer(await engine.environment());
    admin = readFileSync(join(server.settings.home, "admin-token"), "utf8").trim();
  });
  afterAll(() => server.stop());

  const ask = (
    method: string,
    path: string,
    { as = admin, body }: { as?: string | null; body?: object } = {},
  ) => server.ask(method, path, { as, ...(body === undefined ? {} : { body }) });
  const tokenFor = async (actions: string[]) =>
    JSON.parse((await ask("POST", "/api/tokens", { body: { actions } })).text) as {
      id: string;
      token: string;
    };
  const send = async (gone: string[] = []) =>
    JSON.parse((await ask("POST", "/api/push/send", { as: server.key, body: { gone } })).text) as {
      publicKey: string;
      devices: { endpoint: string }[];
    };

  test("a device asks with the right to watch, the sender with the main key, and nobody else learns the keys", async () => {
    const [watcher, uploader] = [await tokenFor(["watch"]), await tokenFor(["upload"])];
    const { device } = makeDevice("https://push.example/phone");
    const add = async (as: string | null) =>
      (await ask("POST", "/api/push/devices", { as, body: device })).status;
    expect([
      await add(null),
      await add(uploader.token),
      await add(server.key),
      await add(watcher.token),
    ]).toEqual([401, 403, 401, 200]);
    const public_ = JSON.parse((await ask("GET", "/api/push", { as: watcher.token })).text) as object;
    expect(public_).not.toHaveProperty("askedAt");
    for (const as of [watcher.token, null]) {
      const refused = await ask("POST", "/api/push/send", { as, body: { gone: [] } });
      expect([401, 403]).toContain(refused.status);
      expect(refused.text).not.toContain("privateKey");
    }
    const told = await send();
    expect(told).toMatchObject({ ...public_, devices: [device] });
    expect((await ask("GET", "/api/push", { as: watcher.token })).text).toContain("askedAt");
  });

  test("a device goes with its token, when its push service says so, or when it asks", async () => {
    const first = makeDevice("https://push.example/first").device;
    const second = makeDevice("https://push.example/second").device;
    const third = makeDevice("https://push.example/third").device;
    const [phone, tablet] = [await tokenFor(["watch"]), await tokenFor(["steer"])];
    await ask("POST", "/api/push/devices", { as: phone.token, body: first });
    await ask("POST", "/api/push/devices", { as: tablet.token, body: second });
    await ask("POST", "/api/push/devices", { as: tablet.token, body: third });
    const names = async () => (await send()).devices.map(({ endpoint }) => endpoint);
    expect(await names()).toEqual(expect.arrayContaining([first.endpoint, second.endpoint, third.endpoint]));
    await ask("DELETE", `/api/tokens/${phone.id}`);
    expect(await names()).not.toContain(first.endpoint);
    await send([second.endpoint]);
    expect(await names()).not.toContain(second.endpoint);
    const forget = (as: string) =>
      ask("POST", "/api/push/devices/forget", { as, body: { endpoint: third.endpoint } });
    expect((await forget((await tokenFor(["watch"])).token)).status).toBe(403);
    expect((await forget(tablet.token)).status).toBe(200);
    expect(await names()).not.toContain(third.endpoint);
  });

  test("an address that is no push service's is refused, with the field named", async () => {
    const { device } = makeDevice("http://127.0.0.1:1/inside");
    const refused = await ask("POST", "/api/push/devices", { body: device });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("/endpoint");
  });

  test("the sender goes by what the server said last while it is down", async () => {
    const home = mkdtempSync(join(tmpdir(), "nightshift-push-"));
    const env = { MEMORY_API_KEY_FILE: join(home, "key"), HOME: home };
    await expect(openPush({ home, env })("http://127.0.0.1:1")).rejects.toThrow(/no device is known/);
    writeFileSync(env.MEMORY_API_KEY_FILE, server.key, { mode: 0o600 });
    const { device } = makeDevice("https://push.example/kept");
    await ask("POST", "/api/push/devices", { body: device });
    expect((await openPush({ home, env })(server.url)).devices).toContainEqual(device);
    expect((await openPush({ home, env })("http://127.0.0.1:1")).devices).toContainEqual(device);
    rmSync(home, { recursive: true });
  });
});
