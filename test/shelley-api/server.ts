import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

// Not Shelley (a Go program that npm does not have): a small server that speaks the part of its HTTP API that
// our driver uses, as API.md and server/*.go of boldsoftware/shelley describe it, with a real agent loop behind
// it: it asks the scripted model over Anthropic's API and runs the commands it is told to.

type Block = { type: string; text?: string; id?: string; name?: string; input?: { command?: string } };
type Reply = { content: Block[]; usage: Record<string, number> };
type ApiMessage = Record<string, unknown> & { sequence_id: number };

const TEXT = 2;
const TOOL_USE = 5;
const TOOL_RESULT = 6;
const MODEL = "claude-scripted";

class Conversation {
  readonly id: string;
  readonly cwd: string;
  readonly messages: ApiMessage[] = [];
  readonly history: { role: string; content: unknown }[] = [];
  readonly listeners = new Set<ServerResponse>();
  turn = new AbortController();
  isWorking = false;

  constructor(id: string, cwd: string) {
    this.id = id;
    this.cwd = cwd;
  }

  send(frame: object): void {
    for (const listener of this.listeners) listener.write(`data: ${JSON.stringify(frame)}\n\n`);
  }

  record(
    type: string,
    content: object[],
    more: { endOfTurn?: boolean; usage?: object; errorType?: string } = {},
  ) {
    const sequence_id = this.messages.length + 1;
    const llm = { Role: type === "user" ? 0 : 1, Content: content, ErrorType: more.errorType };
    const message = {
      message_id: `${this.id}-${sequence_id}`,
      conversation_id: this.id,
      sequence_id,
      type,
      llm_data: JSON.stringify(llm),
      ...(more.usage ? { usage_data: JSON.stringify(more.usage) } : {}),
      end_of_turn: more.endOfTurn ?? false,
    };
    this.messages.push(message);
    this.send({ conversation_id: this.id, messages: [message] });
  }

  setWorking(isWorking: boolean): void {
    this.isWorking = isWorking;
    this.send(this.state());
  }

  state() {
    const conversation_state = { conversation_id: this.id, working: this.isWorking, model: MODEL };
    return { conversation_id: this.id, conversation_state };
  }
}

const runCommand = async (command: string, cwd: string, signal: AbortSignal): Promise<boolean> => {
  const child = spawn("sh", ["-c", command], { cwd, stdio: "ignore", signal, killSignal: "SIGKILL" });
  child.on("error", () => undefined);
  const [code] = (await once(child, "close")) as [number | null];
  return code === 0;
};

const TOOLS = [
  { name: "bash", input_schema: { type: "object", properties: { command: { type: "string" } } } },
];

const askModel = async (modelUrl: string, { history, turn }: Conversation): Promise<Reply> => {
  const response = await fetch(`${modelUrl}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({ model: MODEL, messages: history, tools: TOOLS, stream: false }),
    signal: turn.signal,
  });
  if (!response.ok) throw new Error(`LLM request failed: ${response.status} ${await response.text()}`);
  return (await response.json()) as Reply;
};

const toContent = (block: Block) =>
  block.type === "text"
    ? { Type: TEXT, Text: block.text }
    : { Type: TOOL_USE, ID: block.id, ToolName: block.name, ToolInput: block.input };

const useTools = async (conversation: Conversation, calls: Block[]) => {
  const results: { id: string; isError: boolean }[] = [];
  for (const call of calls) {
    const isDone = await runCommand(call.input?.command ?? "", conversation.cwd, conversation.turn.signal);
    results.push({ id: call.id ?? "", isError: !isDone });
  }
  const answers = results.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "done" }));
  conversation.history.push({ role: "user", content: answers });
  conversation.record(
    "user",
    results.map(({ id, isError }) => ({ Type: TOOL_RESULT, ToolUseID: id, ToolError: isError })),
  );
};

const runTurn = async (modelUrl: string, conversation: Conversation, text: string): Promise<void> => {
  conversation.turn = new AbortController();
  conversation.history.push({ role: "user", content: text });
  conversation.record("user", [{ Type: TEXT, Text: text }]);
  conversation.setWorking(true);
  try {
    for (;;) {
      const reply = await askModel(modelUrl, conversation);
      const calls = reply.content.filter((block) => block.type === "tool_use");
      conversation.history.push({ role: "assistant", content: reply.content });
      const usage = { ...reply.usage, cost_usd: 0.01, model: MODEL };
      conversation.record("agent", reply.content.map(toContent), { usage, endOfTurn: calls.length === 0 });
      if (calls.length === 0) break;
      await useTools(conversation, calls);
    }
  } catch (error) {
    const isCancelled = conversation.turn.signal.aborted;
    const message = isCancelled ? "[Operation cancelled]" : String(error);
    const errorType = isCancelled ? "" : "llm_request";
    conversation.record(isCancelled ? "agent" : "error", [{ Type: TEXT, Text: message }], {
      endOfTurn: true,
      errorType,
    });
  }
  conversation.setWorking(false);
};

const readJson = async (request: IncomingMessage): Promise<{ message?: string; cwd?: string }> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as { message?: string; cwd?: string };
};

export const startShelleyApi = async ({
  modelUrl,
  windowTokens,
}: {
  modelUrl: string;
  windowTokens: number;
}) => {
  const conversations = new Map<string, Conversation>();
  const send = (out: ServerResponse, status: number, body: unknown) => {
    out.writeHead(status, { "content-type": "application/json" });
    out.end(JSON.stringify(body));
  };

  const stream = (conversation: Conversation, after: number, out: ServerResponse) => {
    out.writeHead(200, { "content-type": "text/event-stream" });
    const messages = conversation.messages.filter((message) => message.sequence_id > after);
    conversation.listeners.add(out);
    out.write(`data: ${JSON.stringify({ messages, ...conversation.state() })}\n\n`);
    out.write(`data: ${JSON.stringify({ snapshot_complete: true })}\n\n`);
    out.on("close", () => conversation.listeners.delete(out));
  };

  const handle = async (request: IncomingMessage, out: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/version") return send(out, 200, { tag: "api-double", capabilities: [] });
    if (url.pathname === "/api/models")
      return send(out, 200, [{ id: MODEL, ready: true, is_default: true, max_context_tokens: windowTokens }]);
    if (request.method === "POST" && request.headers["x-shelley-request"] !== "1")
      return send(out, 403, { error: "X-Shelley-Request header required" });
    if (url.pathname === "/api/conversations/new") {
      const { message = "", cwd = "/" } = await readJson(request);
      const conversation = new Conversation(`c${conversations.size + 1}ABCD`, cwd);
      conversations.set(conversation.id, conversation);
      void runTurn(modelUrl, conversation, message);
      return send(out, 201, { status: "accepted", conversation_id: conversation.id });
    }
    const [, id = "", action] = /^\/api\/conversation\/([^/]+)(?:\/(\w+))?$/.exec(url.pathname) ?? [];
    const conversation = conversations.get(id);
    if (!conversation) return send(out, 404, { error: "conversation not found" });
    if (action === "stream")
      return stream(conversation, Number(url.searchParams.get("last_sequence_id")), out);
    if (action === "chat") void runTurn(modelUrl, conversation, (await readJson(request)).message ?? "");
    if (action === "cancel") conversation.turn.abort();
    return send(out, 200, { max_sequence_id: conversation.messages.length, messages: conversation.messages });
  };

  const server = createServer((request, out) => {
    handle(request, out).catch(() => out.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const conversation of conversations.values()) conversation.turn.abort();
      server.closeAllConnections();
      server.close();
    },
  };
};
