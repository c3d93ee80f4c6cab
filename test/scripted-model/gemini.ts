import { type ModelApi, type ModelRequest, retryAfter, splitUsage, toolCallsOf } from "./script.ts";

type Content = { role?: string; parts?: { text?: string }[] };
type Declaration = {
  name: string;
  parameters?: Record<string, unknown>;
  parametersJsonSchema?: Record<string, unknown>;
};

const textOf = ({ role, parts }: Content): string =>
  role === "user" ? (parts ?? []).map((part) => part.text ?? "").join("\n") : "";

const read = (body: Record<string, unknown>, path: string): ModelRequest => {
  const contents = (body["contents"] ?? []) as Content[];
  const firstReply = contents.findIndex((content) => content.role === "model");
  const lastReply = contents.findLastIndex((content) => content.role === "model");
  const tools = (body["tools"] ?? []) as { functionDeclarations?: Declaration[] }[];
  return {
    model: /models\/([^:]+):/.exec(path)?.[1] ?? "",
    isStreaming: path.includes(":streamGenerateContent"),
    opening: contents
      .slice(0, firstReply === -1 ? undefined : firstReply)
      .map(textOf)
      .join("\n"),
    latest: contents
      .slice(lastReply + 1)
      .map(textOf)
      .join("\n"),
    replies: contents.filter((content) => content.role === "model").length,
    tools: tools
      .flatMap((tool) => tool.functionDeclarations ?? [])
      .map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        schema: parametersJsonSchema ?? parameters ?? {},
      })),
  };
};

/** https://ai.google.dev/api/generate-content */
export const geminiApi: ModelApi = {
  name: "gemini",
  isCall: (path) => /:(generateContent|streamGenerateContent)\b/.test(path),
  read,
  reply: (turn, request, id) => {
    const split = splitUsage(turn);
    const prompt = split.input + split.cacheRead + split.cacheWrite; // cached tokens are part of it here
    const parts = [
      ...(turn.text === undefined ? [] : [{ text: turn.text }]),
      ...toolCallsOf(turn, request, id).map(({ name, input }) => ({ functionCall: { name, args: input } })),
    ];
    const body = {
      candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
      usageMetadata: {
        promptTokenCount: prompt,
        cachedContentTokenCount: split.cacheRead,
        candidatesTokenCount: split.output,
        totalTokenCount: prompt + split.output,
      },
      modelVersion: request.model,
    };
    return { events: [`data: ${JSON.stringify(body)}\r\n\r\n`], body };
  },
  rateLimit: (resetsAtMs) => ({
    headers: {},
    body: {
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "You exceeded your current quota.",
        details: Object.values(retryAfter(resetsAtMs)).map((seconds) => ({
          "@type": "type.googleapis.com/google.rpc.RetryInfo",
          retryDelay: `${seconds}s`,
        })),
      },
    },
  }),
  other: (path) => (path.includes(":countTokens") ? { totalTokens: 1_000 } : undefined),
};
