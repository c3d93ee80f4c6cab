import { AppError, errorText } from "../../core/errors.ts";
import { isOk, openRequest, readText } from "../http.ts";
import { listAt, numberAt, objectAt, parseObject, textAt } from "../json.ts";
import { readServerSentEvents } from "../sse.ts";

/** Its routes begin with `/api`. */
const OTHER_API = "opencode 2 has another API, which Nightshift does not speak: install opencode-ai 1.x";

type Connection = { url: string; password: string; signal: AbortSignal };

/** The HTTP API of one `opencode serve` process, as far as a session needs it. */
export const connectOpencode = ({ url, password, signal }: Connection) => {
  const headers = {
    authorization: `Basic ${btoa(`opencode:${password}`)}`,
    "content-type": "application/json",
  };
  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    const response = await openRequest({
      method,
      url: url + path,
      headers,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await readText(response);
    if (isOk(response)) return text;
    const hint = path === "/session" && response.statusCode === 404 ? `; ${OTHER_API}` : "";
    const message = `opencode answered ${method} ${path} with ${response.statusCode}: ${text}${hint}`;
    throw new AppError("unavailable", message);
  };

  return {
    ask,
    /** a new session, or the one to go on in */
    openSession: async (resume: string | undefined): Promise<string> => {
      const text = resume
        ? await ask("GET", `/session/${encodeURIComponent(resume)}`)
        : await ask("POST", "/session", { title: "Nightshift" }); // a title of ours saves a call for one
      const id = textAt(parseObject(text) ?? {}, "id");
      if (id === undefined) throw new AppError("unavailable", "opencode gave no session id");
      return id;
    },
    /** tokens of a model's window; undefined when opencode does not know the model */
    findWindow: async (provider: string, model: string): Promise<number | undefined> => {
      const all = parseObject(await ask("GET", "/config/providers")) ?? {};
      const found = listAt(all, "providers").find((candidate) => candidate["id"] === provider);
      return numberAt(objectAt(found ?? {}, "models", model, "limit"), "context");
    },
    events: async (): Promise<AsyncGenerator<string>> => {
      const response = await openRequest({ method: "GET", url: `${url}/event`, headers, signal });
      if (!isOk(response))
        throw new AppError("unavailable", `opencode refuses its event stream: ${response.statusCode}`);
      return readServerSentEvents(response);
    },
  };
};

export type OpencodeServer = ReturnType<typeof connectOpencode>;

/** A request that fails because the session is being ended is no failure. */
export const describeFailure = (error: unknown, signal: AbortSignal): string | undefined =>
  signal.aborted ? undefined : errorText(error);
