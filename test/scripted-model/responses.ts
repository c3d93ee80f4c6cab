import { type ModelApi, type ModelRequest, retryAfter, splitUsage, toolCallsOf } from "./script.ts";

type Item = { type?: string; role?: string; content?: string | { text?: string }[] };
type Tool = { type?: string; name?: string; parameters?: Record<string, unknown>; tools?: Tool[] };

const textOf = ({ role, content }: Item): string => {
  if (role !== "user") return "";
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("\n");
};

// One reply of the model may be several items (reasoning, message, call): a run of them counts once.
const isReply = (item: Item): boolean =>
  item.role === "assistant" || item.type === "reasoning" || (item.type ?? "").endsWith("_call");

const toolsOf = ({ name, parameters, tools }: Tool): ModelRequest["tools"] => {
  if (name === undefined) return [];
  // A namespace holds tools that are called by its name and their own.
  if (tools) return tools.flatMap(toolsOf).map((tool) => ({ ...tool, namespace: name }));
  return [{ name, schema: parameters ?? {} }];
};

const read = (body: Record<string, unknown>): ModelRequest => {
  const input = body["input"] ?? [];
  const items = (typeof input === "string" ? [{ role: "user", content: input }] : input) as Item[];
  const firstReply = items.findIndex(isReply);
  const lastReply = items.findLastIndex(isReply);
  return {
    model: String(body["model"]),
    isStreaming: body["stream"] === true,
    opening: items
      .slice(0, firstReply === -1 ? undefined : firstReply)
      .map(textOf)
      .join("\n"),
    latest: items
      .slice(lastReply + 1)
      .map(textOf)
      .join("\n"),
    replies: items.filter((item, index) => isReply(item) && !isReply(items[index - 1] ?? {})).length,
    tools: ((body["tools"] ?? []) as Tool[]).flatMap(toolsOf),
  };
};

const outputOf = (turn: Parameters<ModelApi["reply"]>[0], request: ModelRequest, id: number) => {
  const message = {
    type: "message",
    id: `msg_scripted_${id}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: turn.text ?? "", annotations: [] }],
  };
  const calls = toolCallsOf(turn, request, id).map((call) => ({
    type: "function_call",
    id: `fc_${call.id}`,
    call_id: `call_${call.id}`,
    status: "completed",
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    arguments: JSON.stringify(call.input),
  }));
  return [...(turn.text === undefined ? [] : [message]), ...calls];
};

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export const responsesApi: ModelApi = {
  name: "responses",
  isCall: (path) => /\/responses(\?|$)/.test(path),
  read,
  reply: (turn, request, id) => {
    const split = splitUsage(turn);
    const prompt = split.input + split.cacheRead + split.cacheWrite; // cached tokens are part of it here
    const usage = {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: split.cacheRead },
      output_tokens: split.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: prompt + split.output,
    };
    const output = outputOf(turn, request, id);
    const response = { id: `resp_scripted_${id}`, object: "response", model: request.model };
    const finished = { ...response, status: "completed", output, usage };
    const events = [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      ...output.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: finished },
    ];
    return {
      events: events.map(
        (event, sequence_number) =>
          `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
      ),
      body: finished,
    };
  },
  rateLimit: (resetsAtMs) => ({
    headers: {
      ...retryAfter(resetsAtMs),
      ...(resetsAtMs === undefined
        ? {}
        : {
            "x-codex-primary-used-percent": "100",
            "x-codex-primary-window-minutes": "300",
            "x-codex-primary-reset-at": String(Math.floor(resetsAtMs / 1000)),
          }),
    },
    body: {
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        plan_type: "plus",
        ...(resetsAtMs === undefined ? {} : { resets_at: Math.floor(resetsAtMs / 1000) }),
      },
    },
  }),
};
