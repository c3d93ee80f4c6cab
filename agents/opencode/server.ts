import { AppError } from "../../core/errors.ts";
import { connectServer } from "../http.ts";
import { listAt, numberAt, objectAt, parseObject, textAt } from "../json.ts";

/** Its routes begin with `/api`. */
const OTHER_API = "opencode 2 has another API, which Nightshift does not speak: install opencode-ai 1.x";

type Connection = { url: string; password: string; signal: AbortSignal };

/** The HTTP API of one `opencode serve` process, as far as a session needs it. */
export const connectOpencode = ({ url, password, signal }: Connection) => {
  const headers = { authorization: `Basic ${btoa(`opencode:${password}`)}` };
  const server = connectServer({ name: "opencode", url, headers });
  const ask = (method: string, path: string, body?: object) => server.ask(method, path, signal, body);
  const create = () =>
    // A title of ours saves a call to the model for one.
    ask("POST", "/session", { title: "Nightshift" }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.details["status"] !== 404) throw error;
      throw new AppError("unavailable", `${error.message}; ${OTHER_API}`, { cause: error });
    });

  return {
    post: (path: string, body: object = {}) => ask("POST", path, body),
    /** a new session, or the one to go on in */
    openSession: async (resume: string | undefined): Promise<string> => {
      const text = await (resume ? ask("GET", `/session/${encodeURIComponent(resume)}`) : create());
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
    events: () => server.listen("/event", signal),
  };
};

export type OpencodeServer = ReturnType<typeof connectOpencode>;
