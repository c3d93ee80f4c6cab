import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MemoryServer, startMemoryServer } from "../fixtures/start-memory-server.ts";
import { describeEngines } from "../fixtures/engines.ts";

type Connected = {
  listTools: () => Promise<{ tools: { name: string; inputSchema: Record<string, unknown> }[] }>;
  callTool: (call: { name: string; arguments: Record<string, unknown> }) => Promise<Record<string, unknown>>;
  close: () => Promise<void>;
};

/** The official client of each era of the protocol, which takes no other. */
const CLIENTS: Record<string, (url: URL, headers: Record<string, string>) => Promise<Connected>> = {
  "2026-07-28": async (url, headers) => {
    const mode = { pin: "2026-07-28" };
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  },
  "2025-11-25": async (url, headers) => {
    const client = new OlderClient({ name: "test", version: "1" });
    await client.connect(new OlderTransport(url, { requestInit: { headers } }));
    return client;
  },
};

describeEngines((engine) => {
  let server: MemoryServer;
  beforeAll(async () => {
    server = await startMemoryServer(await engine.environment());
  });
  afterAll(() => server.stop());

  const connect = (era: string, key?: string): Promise<Connected> => {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const open = CLIENTS[era];
    if (!open) throw new Error(`no client of ${era}`);
    return open(new URL(`${server.url}/mcp`), headers);
  };

  const call = async (client: Connected, name: string, input: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: input });
    const [first] = result["content"] as { text: string }[];
    return { isError: result["isError"] === true, text: first?.text ?? "" };
  };

  test.each(Object.keys(CLIENTS))(
    "the client of %s lists the tools, learns, recalls and tells the outcome",
    async (era) => {
      const client = await connect(era, server.key);
      const trigger = era.startsWith("2026") ? "releasing the parser" : "rotating the certificates";
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["recall", "learn", "outcome"]);
      expect(tools[1]?.inputSchema["required"]).toEqual(["trigger", "learning"]);
      const stored = await call(client, "learn", {
        trigger,
        learning: "bump the grammar first",
      });
      expect(stored.text).toMatch(/^stored as /);
      const recalled = await call(client, "recall", { context: trigger });
      expect(recalled.text).toContain(`- ${trigger}: bump the grammar first`);
      const receipt = /receipt: (\S+)/.exec(recalled.text)?.[1];
      expect((await call(client, "outcome", { receipt, outcome: "pass" })).text).toBe("credited 1 learning");
      await client.close();
    },
  );

  test.each(Object.keys(CLIENTS))(
    "%s: without a key it recalls and does not learn, and wrong input is explained",
    async (era) => {
      const client = await connect(era);
      expect((await call(client, "recall", { context: "baking bread" })).text).toMatch(/^Nothing fits/);
      const refused = await call(client, "learn", { trigger: "a", learning: "b" });
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("API key required") });
      expect(await call(client, "recall", { context: 7 })).toMatchObject({
        isError: true,
        text: expect.stringContaining("/context"),
      });
      expect(await call(client, "forget", {})).toMatchObject({ isError: true });
      await client.close();
    },
  );
});
