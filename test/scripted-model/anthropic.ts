import { type ModelApi, type ModelRequest, retryAfter, splitUsage, toolCallsOf } from "./script.ts";

type Block = { type: string; text?: string };
type Message = { role: string; content: string | Block[] };

const textOf = ({ role, content }: Message): string => {
  if (role === "assistant") return "";
  if (typeof content === "string") return content;
  return content
    .filter((block) => block.type === "text")
    .map((block) => block.text ?? "")
    .join("\n");
};

const sse = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const read = (body: Record<string, unknown>): ModelRequest => {
  const messages = (body["messages"] ?? []) as Message[];
  const firstReply = messages.findIndex((message) => message.role === "assistant");
  const lastReply = messages.findLastIndex((message) => message.role === "assistant");
  const tools = (body["tools"] ?? []) as { name: string; input_schema?: Record<string, unknown> }[];
  return {
    model: String(body["model"]),
    isStreaming: body["stream"] === true,
    opening: messages
      .slice(0, firstReply === -1 ? undefined : firstReply)
      .map(textOf)
      .join("\n"),
    latest: messages
      .slice(lastReply + 1)
      .map(textOf)
      .join("\n"),
    replies: messages.filter((message) => message.role === "assistant").length,
    tools: tools.map(({ name, input_schema }) => ({ name, schema: input_schema ?? {} })),
  };
};

const contentOf = (turn: Parameters<ModelApi["reply"]>[0], request: ModelRequest, id: number) => {
  const calls = toolCallsOf(turn, request, id);
  return [
    ...(turn.text === undefined ? [] : [{ type: "text" as const, text: turn.text }]),
    ...calls.map((call) => ({ type: "tool_use" as const, ...call, id: `toolu_${call.id}` })),
  ];
};

const blockEvents = (block: ReturnType<typeof contentOf>[number], index: number) => {
  const start = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
  const deltas =
    block.type === "text"
      ? block.text.split(/(?<= )/).map((text) => ({ type: "text_delta", text }))
      : [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
};

/** https://docs.anthropic.com/en/api/messages and its streaming events */
export const anthropicApi: ModelApi = {
  name: "anthropic",
  isCall: (path) => /\/v1\/messages(\?|$)/.test(path),
  read,
  reply: (turn, request, id) => {
    const content = contentOf(turn, request, id);
    const split = splitUsage(turn);
    const input = {
      input_tokens: split.input,
      cache_creation_input_tokens: split.cacheWrite,
      cache_read_input_tokens: split.cacheRead,
    };
    const usage = { ...input, output_tokens: split.output };
    const stop = {
      stop_reason: content.at(-1)?.type === "tool_use" ? "tool_use" : "end_turn",
      stop_sequence: null,
    };
    const message = {
      id: `msg_scripted_${id}`,
      type: "message",
      role: "assistant",
      model: request.model,
      content,
      ...stop,
      usage,
    };
    const opened = { ...message, content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } };
    const events = [
      { type: "message_start", message: opened },
      ...content.flatMap(blockEvents),
      { type: "message_delta", delta: stop, usage },
      { type: "message_stop" },
    ];
    return { events: events.map(sse), body: message };
  },
  rateLimit: (resetsAtMs) => ({
    headers: {
      ...retryAfter(resetsAtMs),
      "anthropic-ratelimit-unified-status": "rejected",
      ...(resetsAtMs === undefined
        ? {}
        : { "anthropic-ratelimit-unified-reset": String(Math.floor(resetsAtMs / 1000)) }),
    },
    body: {
      type: "error",
      error: { type: "rate_limit_error", message: "This request would exceed your rate limit." },
    },
  }),
  other: (path) => (path.includes("/v1/messages/count_tokens") ? { input_tokens: 1_000 } : undefined),
};
