import { randomUUID } from "node:crypto";
import { systemClock } from "../../core/clock.ts";
import { startAgentProcess } from "../agent-process.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { createEventStream } from "../event-stream.ts";
import { endOfExit } from "../exit-reason.ts";
import { NOBODY_ANSWERS } from "../nobody.ts";
import { createNoteWaiter } from "../note-waiter.ts";
import { connectOpencode, describeFailure, type OpencodeServer } from "./server.ts";
import { createOpencodeTranslator, type OpencodeSignal } from "./translate.ts";

/** A wait longer than this is a usage limit, not a hiccup that opencode should sit out by itself. */
const LONGEST_RETRY_MS = 60_000;

export const opencodeArguments = (request: SessionRequest): string[] => [
  ...(request.settings.args ?? []),
  "serve",
  "--hostname",
  "127.0.0.1",
  "--port",
  "0",
];

const modelOf = (request: SessionRequest) => {
  const [providerID = "", ...rest] = (request.model ?? request.settings.model ?? "").split("/");
  return rest.length === 0 ? {} : { model: { providerID, modelID: rest.join("/") } };
};

/** A session with an opencode server of its own, spoken to over loopback with a password only we know. */
export const startOpencodeSession = (request: SessionRequest, command: string): DriverSession => {
  const stream = createEventStream();
  const notes = createNoteWaiter();
  const password = randomUUID();
  const ending = new AbortController();
  const openCalls = new Set<string>();
  let server: OpencodeServer | undefined;
  let sessionId = "";
  let windowTokens = request.settings.contextWindow;
  let knownModel = "";
  let figures: Extract<OpencodeSignal, { type: "figures" }> | undefined;
  let isStopAsked = false;
  let isHeard = false;

  const fail = (error: unknown) => {
    const message = describeFailure(error, ending.signal);
    if (message !== undefined) stream.end("error", { message });
  };
  const post = (path: string, body: object = {}) => void server?.ask("POST", path, body).catch(fail);
  const prompt = (text: string) =>
    post(`/session/${sessionId}/prompt_async`, { ...modelOf(request), parts: [{ type: "text", text }] });
  const abort = () => post(`/session/${sessionId}/abort`);

  const pushUsage = () => {
    if (!figures) return;
    const window = windowTokens === undefined ? {} : { windowTokens };
    stream.noteSpending(figures);
    stream.push({ ...figures, type: "usage", source: "live", ...window });
  };
  const learnWindow = async (provider: string, model: string) => {
    if (knownModel === `${provider}/${model}`) return;
    knownModel = `${provider}/${model}`;
    stream.push({ type: "model", model: knownModel });
    windowTokens = request.settings.contextWindow ?? (await server?.findWindow(provider, model));
    pushUsage();
  };
  const retry = ({ message, nextMs }: Extract<OpencodeSignal, { type: "retry" }>) => {
    if (nextMs - systemClock.now() < LONGEST_RETRY_MS) {
      stream.push({ type: "warning", message: `opencode tries again after: ${message}` });
      return;
    }
    stream.push({ type: "rate-limit", message, resetsAtMs: nextMs });
    stream.end("rate-limit", { message });
    abort();
  };
  const finish = ({ reason, message, text }: Extract<OpencodeSignal, { type: "idle" }>) => {
    if (stream.hasEnded()) {
      if (text !== "") notes.answer(text);
      else if (reason !== "interrupted") notes.close();
      return;
    }
    if (text !== "") stream.setLastText(text);
    if (reason === "rate-limit") stream.push({ type: "rate-limit", message: message ?? "" });
    stream.end(reason, message === undefined || reason === "interrupted" ? {} : { message });
  };

  const act = (signal: OpencodeSignal) => {
    switch (signal.type) {
      case "figures":
        figures = signal;
        pushUsage();
        return;
      case "model":
        learnWindow(signal.provider, signal.model).catch(fail);
        return;
      case "call":
        openCalls.add(signal.id);
        return;
      case "busy":
        return;
      case "retry":
        retry(signal);
        return;
      case "idle":
        finish(signal);
        return;
      case "permission": // nobody is there to be asked
        post(`/permission/${signal.id}/reply`, { reply: "once" });
        return;
      case "question":
        // To reject it would end the turn.
        post(`/question/${signal.id}/reply`, {
          answers: Array.from({ length: signal.count }, () => [NOBODY_ANSWERS]),
        });
        return;
      case "tool-start":
        openCalls.add(signal.id);
        break;
      case "tool-end":
        openCalls.delete(signal.id);
        break;
      case "started":
      case "text":
      case "rate-limit":
      case "unknown":
      case "warning":
        break;
    }
    stream.push(signal);
    if (signal.type === "tool-end" && isStopAsked && openCalls.size === 0) abort();
  };

  /** In a sandbox its loopback is not ours. */
  const reach = async (url: string): Promise<string> => {
    const port = await request.confinement?.reach(Number(new URL(url).port));
    return port === undefined ? url : `http://127.0.0.1:${port}`;
  };
  const converse = async (url: string) => {
    server = connectOpencode({ url, password, signal: ending.signal });
    const events = await server.events();
    sessionId = await server.openSession(request.resume);
    stream.push({ type: "started", conversationId: sessionId });
    const translate = createOpencodeTranslator(sessionId);
    prompt(request.prompt);
    for await (const event of events) {
      if (event.includes('"type":"message.')) stream.noteActivity(); // a heartbeat is none
      translate(event).forEach(act);
    }
    fail(new Error("opencode ended its stream of events"));
  };

  const agent = startAgentProcess({
    command,
    args: opencodeArguments(request),
    request: {
      ...request,
      env: {
        ...request.env,
        PWD: request.dir, // its root is PWD, not the working directory (1.18.33)
        OPENCODE_SERVER_USERNAME: "opencode",
        OPENCODE_SERVER_PASSWORD: password,
      },
    },
    onLine: (line) => {
      const url = /listening on (http:\/\/\S+)/.exec(line)?.[1];
      if (url !== undefined && !isHeard) reach(url).then(converse).catch(fail);
      isHeard ||= url !== undefined;
    },
  });
  void agent.exited.then((exit) => {
    ending.abort();
    stream.end(...endOfExit(exit, { successIs: "error", message: "opencode left before its turn ended" }));
    notes.close();
  });
  return {
    events: stream.events,
    child: agent.identity,
    spent: stream.spent,
    stopGently: async ({ mayCutTool = false } = {}) => {
      isStopAsked = true;
      if (mayCutTool || openCalls.size === 0) abort();
    },
    askForNote: ({ prompt: text, timeoutMs }) => {
      isStopAsked = false;
      prompt(text);
      return notes.wait(timeoutMs);
    },
    end: async (options) => {
      ending.abort();
      await agent.end(options);
    },
  };
};
