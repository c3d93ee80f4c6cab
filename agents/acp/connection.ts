import { client, type ClientConnection, methods, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { isJson, type Json, objectAt, parseObject } from "../json.ts";

type Message = Parameters<WritableStreamDefaultWriter["write"]>[0];

/** What the agent tells and asks; the rest of the protocol (files, terminals) is not offered to it. */
export type AcpHandlers = {
  /** everything that is not of the protocol */
  onGarbage: () => void;
  onUpdate: (params: Json) => void;
  onPermission: (params: Json) => Promise<{ outcome: { outcome: string; optionId?: string } }>;
};

/**
 * Connects to an agent whose lines are handed in with `onLine`. It reads and writes files and runs commands by
 * itself, in its own process tree: there the sandbox holds it, which it would not hold us.
 */
export const connectAcp = (write: (text: string) => void, handlers: AcpHandlers) => {
  let arrive: (message: Message) => void = () => undefined;
  let close = () => undefined as void;
  const readable = new ReadableStream<Message>({
    start: (controller) => {
      arrive = (message) => controller.enqueue(message);
      close = () => controller.close();
    },
  });
  const writable = new WritableStream<Message>({
    write: (message) => write(`${JSON.stringify(message)}\n`),
  });
  const asIs = (params: unknown): Json => (isJson(params) ? params : {});
  const connection: ClientConnection = client({ name: "nightshift" })
    .onRequest(methods.client.session.requestPermission, asIs, ({ params }) => handlers.onPermission(params))
    .connect({ readable, writable });
  let isOpen = true;
  return {
    onLine: (line: string) => {
      if (!isOpen) return;
      const message = parseObject(line);
      // Read here: the SDK drops an update that it does not know.
      if (message?.["method"] === methods.client.session.update)
        handlers.onUpdate(objectAt(message, "params"));
      else if (message?.["jsonrpc"] === "2.0") arrive(message);
      else handlers.onGarbage();
    },
    /** what is asked and not answered yet fails */
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      close();
      connection.close();
    },
    ask: async (method: string, params: Json): Promise<Json> => {
      const answer: unknown = await connection.agent.request<unknown, Json>(method, params);
      return isJson(answer) ? answer : {};
    },
    tell: (method: string, params: Json) =>
      void connection.agent.notify(method, params).catch(() => undefined),
    initialize: (): Promise<Json> =>
      connection.agent.request<Json, Json>(methods.agent.initialize as string, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: "nightshift", version: "1" },
      }),
  };
};

export type AcpConnection = ReturnType<typeof connectAcp>;
