import { afterAll, beforeAll, expect, test } from "vitest";
import { describeEngines } from "../memory/fixtures/engines.ts";
import { type MemoryServer, startMemoryServer } from "../memory/fixtures/start-memory-server.ts";
import { connectMcp, ERAS } from "./fixtures/clients.ts";

describeEngines((engine) => {
  let server: MemoryServer;
  beforeAll(async () => {
    server = await startMemoryServer(await engine.environment());
  });
  afterAll(() => server.stop());

  test.each(ERAS)("the client of %s lists the tools, learns, recalls and tells the outcome", async (era) => {
    const client = await connectMcp(server, era, server.key);
    const trigger = era.startsWith("2026") ? "releasing the parser" : "rotating the certificates";
    const tools = await client.list();
    expect(tools.map(({ name }) => name)).toEqual(["recall", "learn", "outcome"]);
    expect(tools[1]?.inputSchema["required"]).toEqual(["trigger", "learning"]);
    const stored = await client.call("learn", {
      trigger,
      learning: "bump the grammar first",
    });
    expect(stored.text).toMatch(/^stored as /);
    const recalled = await client.call("recall", { context: trigger });
    expect(recalled.text).toContain(`- ${trigger}: bump the grammar first`);
    const receipt = /receipt: (\S+)/.exec(recalled.text)?.[1];
    expect((await client.call("outcome", { receipt, outcome: "pass" })).text).toBe("credited 1 learning");
    await client.close();
  });

  test.each(ERAS)(
    "%s: without a key it recalls and does not learn, and wrong input is explained",
    async (era) => {
      const client = await connectMcp(server, era);
      expect((await client.call("recall", { context: "baking bread" })).text).toMatch(/^Nothing fits/);
      const refused = await client.call("learn", { trigger: "a", learning: "b" });
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("API key required") });
      expect(await client.call("recall", { context: 7 })).toMatchObject({
        isError: true,
        text: expect.stringContaining("/context"),
      });
      expect(await client.call("forget", {})).toMatchObject({ isError: true });
      await client.close();
    },
  );
});
