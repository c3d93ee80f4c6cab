import { startAgentProcess } from "../agent-process.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { createEventStream } from "../event-stream.ts";
import { endOfExit } from "../exit-reason.ts";
import { createNoteWaiter } from "../note-waiter.ts";
import { createPiTranslator, type PiOutcome, type PiSignal, SETTLE_ID, STATE_ID } from "./translate.ts";

export const piArguments = (request: SessionRequest): string[] => {
  const model = request.model ?? request.settings.model;
  return [
    ...(request.settings.args ?? []),
    "--mode",
    "rpc",
    ...(model === undefined ? [] : ["--model", model]),
    ...(request.resume === undefined ? [] : ["--session", request.resume]),
  ];
};

/** A session with one pi process in RPC mode; the closing note is asked for in the same process. */
export const startPiSession = (request: SessionRequest, command: string): DriverSession => {
  const stream = createEventStream();
  const notes = createNoteWaiter();
  const translator = createPiTranslator(request.settings.contextWindow);
  const openCalls = new Set<string>();
  let isStopAsked = false;
  let isSettling = false;
  let noteText: string | undefined;

  const finish = ({ reason, message }: PiOutcome) => {
    if (stream.hasEnded()) {
      if (noteText !== undefined) notes.answer(noteText);
      else if (reason !== "interrupted") notes.close();
      return;
    }
    if (reason === "rate-limit") stream.push({ type: "rate-limit", message: message ?? "" });
    stream.end(reason, message === undefined ? {} : { message });
  };

  const act = (signal: PiSignal) => {
    switch (signal.type) {
      case "calls":
        for (const id of signal.ids) openCalls.add(id);
        return;
      case "maybe-over":
        // pi says that it tries again, or compacts, right after this: its answer to a question comes later.
        isSettling = true;
        send({ id: SETTLE_ID, type: "get_state" });
        return;
      case "goes-on":
        isSettling = false;
        return;
      case "settled":
        if (isSettling) finish(translator.outcome());
        isSettling = false;
        return;
      case "refused":
        finish({ reason: "error", message: signal.message });
        return;
      case "text":
        if (stream.hasEnded()) noteText = signal.text;
        break;
      case "usage":
        stream.noteSpending(signal);
        break;
      case "tool-end":
        openCalls.delete(signal.id);
        break;
      case "started":
      case "model":
      case "activity":
      case "unknown":
      case "tool-start":
      case "rate-limit":
      case "warning":
        break;
    }
    stream.push(signal);
    if (signal.type === "tool-end" && isStopAsked && openCalls.size === 0) send({ type: "abort" });
  };
  const agent = startAgentProcess({
    command,
    args: piArguments(request),
    request,
    onLine: (line) => translator.read(line).forEach(act),
    onOutput: stream.noteActivity,
  });
  const send = (value: object) => agent.write(`${JSON.stringify(value)}\n`);

  send({ id: STATE_ID, type: "get_state" });
  send({ type: "prompt", message: request.prompt });
  void agent.exited.then((exit) => {
    stream.end(...endOfExit(exit, { successIs: "error", message: "pi left before its turn ended" }));
    notes.close();
  });
  return {
    events: stream.events,
    child: agent.identity,
    spent: stream.spent,
    stopGently: async ({ mayCutTool = false } = {}) => {
      isStopAsked = true;
      if (mayCutTool || openCalls.size === 0) send({ type: "abort" });
    },
    askForNote: ({ prompt, timeoutMs }) => {
      isStopAsked = false;
      send({ type: "prompt", message: prompt });
      return notes.wait(timeoutMs);
    },
    end: (options) => agent.end({ ...options, isTurnOver: stream.hasEnded() }),
  };
};
