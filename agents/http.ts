import { type IncomingMessage, request as httpRequest } from "node:http";

export type HttpRequest = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
  /** a socket instead of the URL's host and port */
  socketPath?: string;
};

/**
 * One request on a connection of its own. `fetch` keeps connections, and an agent's server that ended may have
 * left its port to the next one: the kept connection then breaks the first request to it.
 */
export const openRequest = ({ method, url, headers, body, signal, socketPath }: HttpRequest) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, headers, signal, agent: false, ...(socketPath ? { socketPath } : {}) };
    const request = httpRequest(url, options, resolve);
    request.on("error", reject);
    request.end(body);
  });

export const readText = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

export const isOk = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;
