import { AppError } from "../../core/errors.ts";
import { parseJson } from "../../core/parse-json.ts";
import { connectServer } from "../http.ts";
import { asJson, asList, numberAt, parseObject, textAt } from "../json.ts";

type Message = { message: string; model?: string; cwd?: string };

/** `unix:///path` or `http://host:port`, as `shelley client -url` takes it. */
const addressOf = (url: string): { url: string; socketPath?: string } =>
  url.startsWith("unix://")
    ? { url: "http://localhost", socketPath: url.slice("unix://".length) }
    : { url: url.replace(/\/$/, "") };

/** Shelley's HTTP API (API.md in boldsoftware/shelley), as far as a session needs it. */
export const connectShelley = (url: string) => {
  // Shelley refuses a POST without the first; the second is for servers behind `-require-header`.
  const headers = { "x-shelley-request": "1", "x-exedev-userid": "nightshift" };
  const { ask, listen } = connectServer({ name: "Shelley", headers, ...addressOf(url) });
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
      const models = parseJson(await ask("GET", "/api/models", signal));
      const found = asList(models)
        .map(asJson)
        .find((entry) => entry["id"] === model);
      return numberAt(found ?? {}, "max_context_tokens");
    },
    stream: (id: string, after: number, signal: AbortSignal) =>
      listen(`${pathOf(id)}/stream?last_sequence_id=${after}`, signal),
  };
};

export type ShelleyServer = ReturnType<typeof connectShelley>;
