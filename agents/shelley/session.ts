import { systemClock } from "../../core/clock.ts";
import { errorText } from "../../core/errors.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { type EventStream, createEventStream } from "../event-stream.ts";
import { createNoteWaiter } from "../note-waiter.ts";
import type { ShelleyServer } from "./server.ts";
import { createShelleyTranslator, type ShelleySignal } from "./translate.ts";

const RECONNECTS = 5;
const RECONNECT_MS = 1_000;

type Begin = {
  message: Parameters<ShelleyServer["create"]>[0];
  resume: string | undefined;
  signal: AbortSignal;
};

const begin = async (server: ShelleyServer, { message, resume, signal }: Begin) => {
  if (resume === undefined) return { conversationId: await server.create(message, signal), seenBefore: 0 };
  const seenBefore = await server.lastSequenceId(resume, signal);
  await server.chat(resume, message, signal);
  return { conversationId: resume, seenBefore };
};

const neverBegun = ({ events, spent }: EventStream): DriverSession => ({
  events,
  spent,
  child: undefined,
  stopGently: async () => {},
  askForNote: async () => undefined,
  end: async () => {},
});

/**
 * A session with a Shelley server, which is not ours: it was there before and stays. Its tools run in its own
 * process tree, so no process belongs to the session, and ending it cancels the conversation's turn.
 */
export const startShelleySession = async (
  request: SessionRequest,
  server: ShelleyServer,
): Promise<DriverSession> => {
  const stream = createEventStream();
  const notes = createNoteWaiter();
  const ending = new AbortController();
  const { signal } = ending;
  const translator = createShelleyTranslator();
  const openCalls = new Set<string>();
  const model = request.model ?? request.settings.model;
  let windowTokens = request.settings.contextWindow;
  let knownModel: string | undefined;
  let figures: Extract<ShelleySignal, { type: "figures" }> | undefined;
  let isStopAsked = false;
  let isCancelled = false;

  const message = {
    message: request.prompt,
    cwd: request.dir,
    ...(model === undefined ? {} : { model }),
  };
  const begun = await begin(server, { message, resume: request.resume, signal }).catch((error: unknown) => {
    // A server that is just being restarted is no reason to give the night up: the loop tries again.
    stream.end("not-started", { message: `Shelley did not take the prompt: ${errorText(error)}` });
  });
  if (!begun) return neverBegun(stream);
  const { conversationId, seenBefore } = begun;
  stream.push({ type: "started", conversationId, ...(model === undefined ? {} : { model }) });

  const fail = (error: unknown) => {
    if (signal.aborted) return;
    stream.end("error", { message: errorText(error) });
    notes.close();
  };
  const cancel = () => {
    if (isCancelled || stream.hasEnded()) return;
    isCancelled = true;
    server.cancel(conversationId, signal).catch(fail);
  };
  const pushUsage = () => {
    if (!figures) return;
    const window = windowTokens === undefined ? {} : { windowTokens };
    stream.noteSpending(figures);
    stream.push({ ...figures, type: "usage", source: "live", ...window });
  };
  const learnWindow = async (name: string) => {
    if (knownModel === name) return;
    knownModel = name;
    stream.push({ type: "model", model: name });
    windowTokens = request.settings.contextWindow ?? (await server.findWindow(name, signal));
    pushUsage();
  };
  const finish = ({ reason, text, message }: Extract<ShelleySignal, { type: "turn-end" }>) => {
    if (stream.hasEnded()) {
      if (text !== "") notes.answer(text);
      else if (reason !== "interrupted") notes.close();
      return;
    }
    if (text !== "") stream.setLastText(text);
    if (reason === "rate-limit") stream.push({ type: "rate-limit", message: message ?? "" });
    stream.end(reason, message === undefined ? {} : { message });
  };

  const act = (event: ShelleySignal) => {
    switch (event.type) {
      case "model":
        learnWindow(event.model).catch(fail);
        return;
      case "figures":
        figures = event;
        pushUsage();
        return;
      case "turn-end":
        finish(event);
        return;
      case "tool-start":
        openCalls.add(event.id);
        break;
      case "tool-end":
        openCalls.delete(event.id);
        break;
      case "text":
      case "rate-limit":
      case "warning":
        break;
    }
    stream.push(event);
    if (event.type === "tool-end" && isStopAsked && openCalls.size === 0) cancel();
  };

  const follow = async () => {
    let failures = 0;
    while (!signal.aborted) {
      const before = translator.lastSequenceId();
      try {
        const frames = await server.stream(conversationId, Math.max(seenBefore, before), signal);
        for await (const frame of frames) {
          stream.noteActivity();
          translator.read(frame).forEach(act);
        }
      } catch (error) {
        if (failures >= RECONNECTS) throw error;
      }
      failures = translator.lastSequenceId() > before ? 1 : failures + 1;
      await systemClock.sleep(RECONNECT_MS, signal);
    }
  };
  follow().catch(fail);

  return {
    events: stream.events,
    child: undefined,
    spent: stream.spent,
    stopGently: async ({ mayCutTool = false } = {}) => {
      isStopAsked = true;
      if (mayCutTool || openCalls.size === 0) cancel();
    },
    askForNote: async ({ prompt, timeoutMs }) => {
      isStopAsked = false;
      try {
        await server.chat(conversationId, { message: prompt }, signal);
      } catch {
        return undefined;
      }
      return notes.wait(timeoutMs);
    },
    end: async () => {
      if (!stream.hasEnded())
        await server.cancel(conversationId, AbortSignal.timeout(5_000)).catch(() => undefined);
      stream.end("interrupted");
      ending.abort();
      notes.close();
    },
  };
};
