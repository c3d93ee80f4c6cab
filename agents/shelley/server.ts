import { AppError } from "../../core/errors.ts";
import { isOk, openRequest, readText } from "../http.ts";
import { numberAt, parseObject, textAt } from "../json.ts";
import { readServerSentEvents } from "../sse.ts";

type Message = { message: string; model?: string; cwd?: string };

/** `unix:///path` or `http://host:port`, as `shelley client -url` takes it. */
const addressOf = (url: string): { base: string; socketPath?: string } =>
  url.startsWith("unix://")
    ? { base: "http://localhost", socketPath: url.slice("unix://".length) }
    : { base: url.replace(/\/$/, "") };

/** Shelley's HTTP API (API.md in boldsoftware/shelley), as far as a session needs it. */
export const connectShelley = (url: string) => {
  const { base, ...socket } = addressOf(url);
  // Shelley refuses a POST without the first; the second is for servers behind `-require-header`.
  const headers = {
    "x-shelley-request": "1",
    "x-exedev-userid": "nightshift",
    "content-type": "application/json",
  };
  const ask = async (method: string, path: string, signal: AbortSignal, body?: object): Promise<string> => {
    const response = await openRequest({
      method,
      url: base + path,
      headers,
      signal,
      ...socket,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await readText(response);
    if (isOk(response)) return text;
    const message = `Shelley answered ${method} ${path} with ${response.statusCode}: ${text.trim()}`;
    throw new AppError("unavailable", message);
  };
  const pathOf = (id: string) => `/api/conversation/${encodeURIComponent(id)}`;

  return {
    isThere: async (signal: AbortSignal): Promise<boolean> => {
      try {
        await ask("GET", "/version", signal);
        return true;
      } catch {
        return false;
      }
    },
    create: async (message: Message, signal: AbortSignal): Promise<string> => {
      const answer = parseObject(await ask("POST", "/api/conversations/new", signal, message)) ?? {};
      const id = textAt(answer, "conversation_id");
      if (id === undefined) throw new AppError("unavailable", "Shelley gave no conversation id");
      return id;
    },
    chat: (id: string, message: Message, signal: AbortSignal) =>
      ask("POST", `${pathOf(id)}/chat`, signal, message),
    cancel: (id: string, signal: AbortSignal) => ask("POST", `${pathOf(id)}/cancel`, signal, {}),
    /** number of the conversation's newest message */
    lastSequenceId: async (id: string, signal: AbortSignal): Promise<number> =>
      numberAt(parseObject(await ask("GET", pathOf(id), signal)) ?? {}, "max_sequence_id") ?? 0,
    findWindow: async (model: string, signal: AbortSignal): Promise<number | undefined> => {
      const models: unknown = JSON.parse(await ask("GET", "/api/models", signal));
      if (!Array.isArray(models)) return undefined;
      const found = models
        .map((entry) => parseObject(JSON.stringify(entry)) ?? {})
        .find((entry) => entry["id"] === model);
      return numberAt(found ?? {}, "max_context_tokens");
    },
    stream: async (id: string, after: number, signal: AbortSignal): Promise<AsyncGenerator<string>> => {
      const path = `${pathOf(id)}/stream?last_sequence_id=${after}`;
      const response = await openRequest({ method: "GET", url: base + path, headers, signal, ...socket });
      if (!isOk(response))
        throw new AppError("unavailable", `Shelley refuses its event stream: ${response.statusCode}`);
      return readServerSentEvents(response);
    },
  };
};

export type ShelleyServer = ReturnType<typeof connectShelley>;
