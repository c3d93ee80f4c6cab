import { createAgentSession } from "../agent-session.ts";
import { modelOf, option } from "../arguments.ts";
import type { Driver, DriverSession, SessionRequest } from "../driver.ts";
import { createPiTranslator, type PiSignal, SETTLE_ID, STATE_ID } from "./translate.ts";

const PROGRAM = "pi";

export const piArguments = (request: SessionRequest): string[] => [
  ...(request.settings.args ?? []),
  ...option("--mode", "rpc"),
  ...option("--model", modelOf(request)),
  ...option("--session", request.resume),
];

/** A session with one pi process in RPC mode; the closing note is asked for in the same process. */
const startSession = (request: SessionRequest): DriverSession => {
  const translator = createPiTranslator(request.settings);
  let isSettling = false;
  const send = (value: object) => agent.write(`${JSON.stringify(value)}\n`);
  const prompt = (message: string) => send({ type: "prompt", message });
  const session = createAgentSession({ prompt, interrupt: () => send({ type: "abort" }) });

  const act = (signal: PiSignal) => {
    if (signal.type === "calls") for (const id of signal.ids) session.openCalls.add(id);
    else if (signal.type === "maybe-over") {
      // pi says that it tries again, or compacts, right after this: its answer to a question comes later.
      isSettling = true;
      send({ id: SETTLE_ID, type: "get_state" });
    } else if (signal.type === "goes-on") isSettling = false;
    else if (signal.type === "settled") {
      if (isSettling) session.take(translator.outcome());
      isSettling = false;
    } else session.take(signal);
  };
  const agent = session.start({
    command: request.settings.command ?? PROGRAM,
    args: piArguments(request),
    request,
    onLine: (line) => translator.read(line).forEach(act),
    leaving: { message: "pi left before its turn ended" },
  });
  send({ id: STATE_ID, type: "get_state" });
  prompt(request.prompt);
  return session.toDriverSession(agent);
};

/** pi, through its RPC mode: one process for the work and the closing note. */
export const piDriver: Driver = {
  id: "pi",
  title: "pi",
  capabilities: {
    liveContext: "live",
    windowSource: "`contextWindow` of the model in use, asked from pi",
    gentleStop: "`abort` once the running tool calls have ended",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: false,
    exitMeaning: "says nothing (0 after a model error, too); the last message's stop reason counts",
  },
  describe: (request) => ({ command: request.settings.command ?? PROGRAM, args: piArguments(request) }),
  start: async (request) => startSession(request),
};
