import { AppError } from "../../../core/errors.ts";
import { type Json, isJson, objectAt, parseObject, textAt } from "../../json.ts";

export type AppServerHandlers = {
  onNotification: (method: string, params: Json) => void;
  /** what the program asks of us; what is thrown is its answer, too */
  onRequest: (method: string, params: Json) => Promise<Json>;
  /** everything that is not of the protocol */
  onGarbage: () => void;
};

/** A request that failed, with what the program says of it. */
const faultOf = (error: Json): AppError =>
  new AppError("unavailable", textAt(error, "message") ?? "codex refused a request", { details: error });

/** Speaks to `codex app-server` in its own way of JSON-RPC: one message a line, without the version. */
export const connectAppServer = (write: (text: string) => void, handlers: AppServerHandlers) => {
  const waiting = new Map<number, { resolve: (answer: Json) => void; reject: (error: AppError) => void }>();
  let last = 0;
  const send = (message: Json) => write(`${JSON.stringify(message)}\n`);

  const answer = async (id: unknown, method: string, params: Json) => {
    try {
      send({ id, result: await handlers.onRequest(method, params) });
    } catch (error) {
      send({ id, error: { code: -32_601, message: error instanceof Error ? error.message : String(error) } });
    }
  };
  return {
    onLine: (line: string) => {
      const message = parseObject(line);
      const method = message && textAt(message, "method");
      if (message && method !== undefined) {
        const params = objectAt(message, "params");
        if (message["id"] === undefined) handlers.onNotification(method, params);
        else void answer(message["id"], method, params);
        return;
      }
      const asked = waiting.get(Number(message?.["id"]));
      if (!message || !asked) return handlers.onGarbage();
      waiting.delete(Number(message["id"]));
      if (isJson(message["error"])) asked.reject(faultOf(message["error"]));
      else asked.resolve(objectAt(message, "result"));
    },
    ask: (method: string, params: Json): Promise<Json> =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        send({ id: last, method, params });
      }),
    tell: (method: string) => send({ method }),
    /** what was asked and is not answered yet fails */
    close: () => {
      for (const { reject } of waiting.values())
        reject(new AppError("unavailable", "codex left before it answered"));
      waiting.clear();
    },
  };
};
