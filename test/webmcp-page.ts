import type { CDPSession, Page } from "playwright-core";

export type ToolResult = { status?: number; body?: unknown; error?: string; path?: string; reason?: string };

/** For scripts of a page: finds a tool by its name. */
export const FIND_TOOL = `const find = async (name) => (await document.modelContext.getTools()).find((tool) => tool.name === name);`;

/** The names of the tools that the page offers. */
export const listTools = (page: Page): Promise<string[]> =>
  page.evaluate("document.modelContext.getTools().then((tools) => tools.map((tool) => tool.name))");

/** Calls a tool as an agent in the page does. */
export const invokeTool = (page: Page, name: string, input: unknown): Promise<ToolResult> =>
  page.evaluate(
    `(async () => { ${FIND_TOOL}
      return JSON.parse(await document.modelContext.executeTool(await find(${JSON.stringify(name)}), ${JSON.stringify(input)})); })()`,
  );

export type DevTools = {
  tools: { name: string; frameId: string; annotations?: object }[];
  invoke: (name: string, input: unknown) => Promise<{ status: string; output: unknown }>;
};

/** The tools as DevTools sees and calls them. */
export const openDevTools = async (page: Page): Promise<DevTools> => {
  // The domain is younger than the types of the client.
  const session = (await page.context().newCDPSession(page)) as CDPSession & {
    on: (event: string, listener: (detail: never) => void) => void;
    send: (method: string, parameters?: object) => Promise<unknown>;
  };
  const tools: DevTools["tools"] = [];
  const responses = new Map<string, (detail: { status: string; output: unknown }) => void>();
  session.on("WebMCP.toolsAdded", (detail: { tools: DevTools["tools"] }) => void tools.push(...detail.tools));
  session.on("WebMCP.toolResponded", (detail: { invocationId: string; status: string; output: unknown }) =>
    responses.get(detail.invocationId)?.(detail),
  );
  await session.send("WebMCP.enable");
  return {
    tools,
    invoke: async (name, input) => {
      const frameId = tools.find((tool) => tool.name === name)?.frameId;
      const { invocationId } = (await session.send("WebMCP.invokeTool", {
        frameId,
        toolName: name,
        input,
      })) as {
        invocationId: string;
      };
      return new Promise((resolve) => responses.set(invocationId, resolve));
    },
  };
};
