import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { anthropicApi } from "./anthropic.ts";
import { chatCompletionsApi } from "./chat-completions.ts";
import { geminiApi } from "./gemini.ts";
import { responsesApi } from "./responses.ts";
import {
  createModelPlayer,
  type ModelApi,
  type ModelRequest,
  type ModelScript,
  type ModelTurn,
} from "./script.ts";

const APIS: readonly ModelApi[] = [anthropicApi, responsesApi, chatCompletionsApi, geminiApi];

/** A request as the server got it; `request` is there for calls of the model. */
export type RecordedRequest = {
  api: string;
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
  request?: ModelRequest;
  turn?: ModelTurn;
};

const readBody = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
};

const sendJson = (response: ServerResponse, status: number, body: unknown, headers = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};

const SIDE_JOB: ModelTurn = { text: "Scripted side job", contextTokens: 60 };

const sendFailure = (api: ModelApi, { fault }: ModelTurn, out: ServerResponse): boolean => {
  if (fault?.kind === "rate-limit") {
    const { headers, body } = api.rateLimit(fault.resetsAtMs);
    sendJson(out, 429, body, headers);
    return true;
  }
  if (fault?.kind !== "status") return false;
  sendJson(out, fault.status, { error: { type: "api_error", message: fault.message } });
  return true;
};

const sendReply = async (api: ModelApi, record: RecordedRequest, id: number, out: ServerResponse) => {
  const { request, turn } = record;
  if (!request || !turn) return;
  const { events, body } = api.reply(turn, request, id);
  if (!request.isStreaming && !turn.fault) {
    sendJson(out, 200, body);
    return;
  }
  out.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  out.flushHeaders();
  if (turn.fault?.kind === "hang") return;
  for (const [index, event] of events.entries()) {
    if (turn.fault?.kind === "disconnect" && index === Math.floor(events.length / 2)) {
      out.destroy();
      return;
    }
    if (turn.pieceMs) await pause(turn.pieceMs);
    out.write(event);
  }
  out.end();
};

/** A model server on loopback that plays a script to real agents, in the API each of them speaks. */
export const startScriptedModel = async (script: ModelScript) => {
  const play = createModelPlayer(script);
  const requests: RecordedRequest[] = [];

  const handle = async (incoming: IncomingMessage, out: ServerResponse) => {
    const path = incoming.url ?? "/";
    const body = await readBody(incoming);
    const api = APIS.find((candidate) => candidate.isCall(path));
    const record: RecordedRequest = {
      api: api?.name ?? "other",
      method: incoming.method ?? "GET",
      path,
      headers: incoming.headers,
      body,
    };
    requests.push(record);
    if (!api) {
      const found = APIS.map(({ other }) => other?.(path)).find((value) => value !== undefined);
      sendJson(out, found === undefined ? 404 : 200, found ?? { error: { message: `no route ${path}` } });
      return;
    }
    record.request = api.read(body, path);
    record.turn = play(record.request) ?? SIDE_JOB;
    if (record.turn.thinkMs) await pause(record.turn.thinkMs);
    if (!sendFailure(api, record.turn, out)) await sendReply(api, record, requests.length, out);
  };

  const problems: unknown[] = [];
  const server = createServer((incoming, out) => {
    handle(incoming, out).catch((error: unknown) => {
      problems.push(error);
      out.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** everything that was sent, in order */
    requests,
    /** the calls that took a turn of the script */
    turns: () => requests.filter((record) => record.turn !== undefined && record.turn !== SIDE_JOB),
    /** what went wrong in the server itself; empty in a sound test */
    problems,
    /** as if the network were gone, until what is returned is called */
    goAway: async (): Promise<() => Promise<void>> => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      return async () => {
        server.listen(port, "127.0.0.1");
        await once(server, "listening");
      };
    },
    close: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;
