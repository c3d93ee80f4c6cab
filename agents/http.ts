import { type IncomingMessage, request as httpRequest } from "node:http";
import { AppError } from "../core/errors.ts";
import { readServerSentEvents } from "./sse.ts";

type Server = {
  /** whose server it is, as its errors say it */
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** a socket instead of the URL's host and port */
  socketPath?: string | undefined;
};

/** Speaks to an agent's server, in JSON and server-sent events. */
export const connectServer = ({ name, url, headers, socketPath }: Server) => {
  /**
   * One request on a connection of its own. `fetch` keeps connections, and an agent's server that ended may have
   * left its port to the next one: the kept connection then breaks the first request to it.
   */
  const open = (method: string, path: string, signal: AbortSignal, body?: object) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const all = { "content-type": "application/json", ...headers };
      const request = httpRequest(
        url + path,
        { method, headers: all, signal, agent: false, ...(socketPath ? { socketPath } : {}) },
        resolve,
      );
      request.on("error", reject);
      request.end(body && JSON.stringify(body));
    });
  const isOk = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode < 300;

  return {
    /** @throws AppError `unavailable` with the answer in its words, and its `status` in the details */
    ask: async (method: string, path: string, signal: AbortSignal, body?: object): Promise<string> => {
      const response = await open(method, path, signal, body);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString("utf8");
      if (isOk(response)) return text;
      const status = response.statusCode;
      const message = `${name} answered ${method} ${path} with ${status}: ${text.trim()}`;
      throw new AppError("unavailable", message, { details: { status } });
    },
    listen: async (path: string, signal: AbortSignal): Promise<AsyncGenerator<string>> => {
      const response = await open("GET", path, signal);
      if (isOk(response)) return readServerSentEvents(response);
      throw new AppError("unavailable", `${name} refuses its event stream: ${response.statusCode}`);
    },
  };
};
