import { randomUUID } from "node:crypto";
import { createAgentSession } from "../agent-session.ts";
import { modelOf, option } from "../arguments.ts";
import { systemClock } from "../../core/clock.ts";
import type { Driver, DriverSession, SessionRequest } from "../driver.ts";
import { createMeter } from "../meter.ts";
import { NOBODY_ANSWERS } from "../nobody.ts";
import { connectOpencode, type OpencodeServer } from "./server.ts";
import { createOpencodeTranslator, type OpencodeSignal } from "./translate.ts";

const PROGRAM = "opencode";

/** A wait longer than this is a usage limit, not a hiccup that opencode should sit out by itself. */
const LONGEST_RETRY_MS = 60_000;

const opencodeArguments = (request: SessionRequest): string[] => [
  ...(request.settings.args ?? []),
  "serve",
  ...option("--hostname", "127.0.0.1"),
  ...option("--port", 0),
];

/** `provider/model`; without a provider it is opencode's own choice. */
const choiceOf = (request: SessionRequest) => {
  const [providerID = "", ...rest] = (modelOf(request) ?? "").split("/");
  return rest.length === 0 ? {} : { model: { providerID, modelID: rest.join("/") } };
};

/** A session with an opencode server of its own, spoken to over loopback with a password only we know. */
const startSession = (request: SessionRequest): DriverSession => {
  const password = randomUUID();
  const ending = new AbortController();
  const meter = createMeter(request.settings);
  let server: OpencodeServer | undefined;
  let sessionId = "";
  let isHeard = false;

  const fail = (error: unknown) => {
    if (!ending.signal.aborted) session.fail(error);
  };
  const post = (path: string, body?: object) => void server?.post(path, body).catch(fail);
  const prompt = (text: string) =>
    post(`/session/${sessionId}/prompt_async`, { ...choiceOf(request), parts: [{ type: "text", text }] });
  const interrupt = () => post(`/session/${sessionId}/abort`);
  const session = createAgentSession({ prompt, interrupt });

  const retry = ({ message, nextMs }: Extract<OpencodeSignal, { type: "retry" }>) => {
    if (nextMs - systemClock.now() < LONGEST_RETRY_MS)
      return session.take({ type: "warning", message: `opencode tries again after: ${message}` });
    session.take({ type: "turn-end", reason: "rate-limit", message, resetsAtMs: nextMs });
    interrupt();
  };
  const act = (signal: OpencodeSignal) => {
    if (signal.type === "answering") {
      const { provider, model } = signal;
      const findWindow = async () => server?.findWindow(provider, model);
      meter.followModel(`${provider}/${model}`, { take: session.take, findWindow }).catch(fail);
    } else if (signal.type === "call") session.openCalls.add(signal.id);
    else if (signal.type === "retry") retry(signal);
    // Nobody is there to be asked; to reject a question would end the turn.
    else if (signal.type === "permission") post(`/permission/${signal.id}/reply`, { reply: "once" });
    else if (signal.type === "question")
      post(`/question/${signal.id}/reply`, {
        answers: Array.from({ length: signal.count }, () => [NOBODY_ANSWERS]),
      });
    else session.take(signal);
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
    session.take({ type: "started", conversationId: sessionId });
    const translate = createOpencodeTranslator(sessionId, meter);
    prompt(request.prompt);
    for await (const event of events) {
      if (event.includes('"type":"message.')) session.noteActivity(); // a heartbeat is none
      translate(event).forEach(act);
    }
    fail(new Error("opencode ended its stream of events"));
  };

  const agent = session.start({
    command: request.settings.command ?? PROGRAM,
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
    onOutput: () => undefined, // what it does is told by its events
    onExit: () => ending.abort(),
    leaving: { message: "opencode left before its turn ended" },
  });
  return {
    ...session.toDriverSession(agent),
    end: async (options) => {
      ending.abort();
      await agent.end(options);
    },
  };
};

/** opencode, through a server of its own (`opencode serve`) for each session. */
export const opencodeDriver: Driver = {
  id: "opencode",
  title: "opencode",
  capabilities: {
    liveContext: "live",
    windowSource: "`limit.context` of the model in use, asked from opencode",
    gentleStop: "`abort` once the running tool calls have ended",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: true,
    exitMeaning: "says nothing (it is a server); the session's error or idle event counts",
  },
  describe: (request) => ({
    command: request.settings.command ?? PROGRAM,
    args: opencodeArguments(request),
  }),
  start: async (request) => startSession(request),
};
