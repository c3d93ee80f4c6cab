import { type ModelApi, type ModelRequest, retryAfter, splitUsage, toolCallsOf } from "./script.ts";

type Message = { role: string; content?: string | { text?: string }[] | null };
type Tool = { function?: { name: string; parameters?: Record<string, unknown> } };

const textOf = ({ role, content }: Message): string => {
  if (role !== "user") return "";
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("\n");
};

const read = (body: Record<string, unknown>): ModelRequest => {
  const messages = (body["messages"] ?? []) as Message[];
  const firstReply = messages.findIndex((message) => message.role === "assistant");
  const lastReply = messages.findLastIndex((message) => message.role === "assistant");
  const tools = (body["tools"] ?? []) as Tool[];
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
    tools: tools.flatMap((tool) =>
      tool.function ? [{ name: tool.function.name, schema: tool.function.parameters ?? {} }] : [],
    ),
  };
};

const sse = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** https://platform.openai.com/docs/api-reference/chat */
export const chatCompletionsApi: ModelApi = {
  name: "chat-completions",
  isCall: (path) => path.endsWith("/chat/completions"),
  read,
  reply: (turn, request, id) => {
    const split = splitUsage(turn);
    const prompt = split.input + split.cacheRead + split.cacheWrite; // cached tokens are part of it here
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: split.output,
      total_tokens: prompt + split.output,
      prompt_tokens_details: { cached_tokens: split.cacheRead },
    };
    const calls = toolCallsOf(turn, request, id).map((call, index) => ({
      index,
      id: `call_${call.id}`,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    }));
    const hasCalls = calls.length > 0;
    const finish = hasCalls ? "tool_calls" : "stop";
    const head = { id: `chatcmpl-scripted-${id}`, created: 1_700_000_000, model: request.model };
    const chunk = (delta: object, finish_reason: string | null = null) =>
      sse({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
    const message = {
      role: "assistant",
      content: turn.text ?? null,
      ...(hasCalls ? { tool_calls: calls } : {}),
    };
    // Word by word where the reply takes its time, as a model writes it.
    const [first = "", ...more] =
      turn.pieceMs === undefined ? [turn.text ?? ""] : (turn.text ?? "").split(/(?<= )/);
    return {
      events: [
        chunk({ role: "assistant", content: first }),
        ...more.map((content) => chunk({ content })),
        ...(hasCalls ? [chunk({ tool_calls: calls })] : []),
        chunk({}, finish),
        sse({ ...head, object: "chat.completion.chunk", choices: [], usage }),
        "data: [DONE]\n\n",
      ],
      body: {
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      },
    };
  },
  rateLimit: (resetsAtMs) => ({
    headers: retryAfter(resetsAtMs),
    body: {
      error: { type: "rate_limit_error", code: "rate_limit_exceeded", message: "Rate limit reached." },
    },
  }),
  other: (path) => (/\/models(\?|$)/.test(path) ? { object: "list", data: [], models: [] } : undefined),
};
