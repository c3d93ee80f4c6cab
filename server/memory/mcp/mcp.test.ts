import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MemoryServer, startMemoryServer } from "../fixtures/start-memory-server.ts";
import { describeEngines } from "../fixtures/engines.ts";

describeEngines((engine) => {
  let server: MemoryServer;
  beforeAll(async () => {
    server = await startMemoryServer(await engine.environment());
  });
  afterAll(() => server.stop());

  const connect = async (key?: string): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" });
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers },
    });
    await client.connect(transport);
    return client;
  };

  const call = async (client: Client, name: string, input: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: input });
    const [first] = result.content as { text: string }[];
    return { isError: result.isError === true, text: first?.text ?? "" };
  };

  test("the official client lists the tools, learns, recalls and tells the outcome", async () => {
    const client = await connect(server.key);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["recall", "learn", "outcome"]);
    expect(tools[1]?.inputSchema.required).toEqual(["trigger", "learning"]);
    const stored = await call(client, "learn", {
      trigger: "releasing the parser",
      learning: "bump the grammar first",
    });
    expect(stored.text).toMatch(/^stored as /);
    const recalled = await call(client, "recall", { context: "releasing the parser" });
    expect(recalled.text).toContain("- releasing the parser: bump the grammar first");
    const receipt = /receipt: (\S+)/.exec(recalled.text)?.[1];
    expect((await call(client, "outcome", { receipt, outcome: "pass" })).text).toBe("credited 1 learning");
    await client.close();
  });

  test("without a key it recalls and does not learn, and wrong input is explained", async () => {
    const client = await connect();
    expect((await call(client, "recall", { context: "baking bread" })).text).toMatch(/^Nothing fits/);
    const refused = await call(client, "learn", { trigger: "a", learning: "b" });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("API key required") });
    expect(await call(client, "recall", { context: 7 })).toMatchObject({
      isError: true,
      text: expect.stringContaining("/context"),
    });
    expect(await call(client, "forget", {})).toMatchObject({ isError: true });
    await client.close();
  });
});
