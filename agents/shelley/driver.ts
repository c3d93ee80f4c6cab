import { existsSync } from "node:fs";
import { join } from "node:path";
import { createAgentSession } from "../agent-session.ts";
import { modelOf } from "../arguments.ts";
import { systemClock } from "../../core/clock.ts";
import { AppError, errorText } from "../../core/errors.ts";
import { withoutUndefined } from "../../core/without-undefined.ts";
import type { AgentSettings, Driver, DriverSession, SessionRequest } from "../driver.ts";
import type { TurnSignal } from "../event-stream.ts";
import { createMeter } from "../meter.ts";
import { connectShelley, type ShelleyServer } from "./server.ts";
import { createShelleyTranslator } from "./translate.ts";

const LOOK_MS = 1_000;
const CANCEL_MS = 5_000;
const RECONNECTS = 5;
const RECONNECT_MS = 1_000;

/** `url` of the config, else the socket `shelley serve` opens for its own client. */
const findUrl = (settings: AgentSettings, env: Readonly<Record<string, string>>): string | undefined => {
  if (typeof settings["url"] === "string") return settings["url"];
  const config = env["XDG_CONFIG_HOME"] || join(env["HOME"] ?? "", ".config");
  const socket = join(config, "shelley", "shelley.sock");
  return existsSync(socket) ? `unix://${socket}` : undefined;
};

/**
 * A session with a Shelley server, which is not ours: it was there before and stays. Its tools run in its own
 * process tree, so no process belongs to the session, and ending it cancels the conversation's turn.
 */
const startSession = async (request: SessionRequest, server: ShelleyServer): Promise<DriverSession> => {
  const ending = new AbortController();
  const { signal } = ending;
  const meter = createMeter(request.settings);
  const translator = createShelleyTranslator(meter);
  const model = modelOf(request);
  let conversationId = request.resume ?? "";
  let seenBefore = 0;
  let isCancelled = false;

  const fail = (error: unknown) => {
    if (!signal.aborted) session.fail(error);
  };
  const session = createAgentSession({
    prompt: (message) => server.chat(conversationId, { message }, signal),
    interrupt: () => {
      if (isCancelled) return;
      isCancelled = true;
      server.cancel(conversationId, signal).catch(fail);
    },
  });
  const begin = async () => {
    const message = withoutUndefined({ message: request.prompt, cwd: request.dir, model });
    if (request.resume === undefined) conversationId = await server.create(message, signal);
    else {
      seenBefore = await server.lastSequenceId(conversationId, signal);
      await server.chat(conversationId, message, signal);
    }
    session.take({ type: "started", conversationId, model });
  };
  const act = (event: TurnSignal) => {
    if (event.type !== "model") return session.take(event);
    const findWindow = () => server.findWindow(event.model, signal);
    meter.followModel(event.model, { take: session.take, findWindow }).catch(fail);
  };
  const follow = async () => {
    let failures = 0;
    while (!signal.aborted) {
      const before = translator.lastSequenceId();
      try {
        const frames = await server.stream(conversationId, Math.max(seenBefore, before), signal);
        for await (const frame of frames) {
          session.noteActivity();
          translator.read(frame).forEach(act);
        }
      } catch (error) {
        if (failures >= RECONNECTS) throw error;
      }
      failures = translator.lastSequenceId() > before ? 1 : failures + 1;
      await systemClock.sleep(RECONNECT_MS, signal);
    }
  };

  try {
    await begin();
    follow().catch(fail);
  } catch (error) {
    // A server that is just being restarted is no reason to give the night up: the loop tries again.
    session.close("not-started", { message: `Shelley did not take the prompt: ${errorText(error)}` });
  }
  return {
    ...session.toDriverSession(),
    end: async () => {
      if (!session.hasEnded())
        await server.cancel(conversationId, AbortSignal.timeout(CANCEL_MS)).catch(() => undefined);
      ending.abort();
      session.close("interrupted");
    },
  };
};

/** Shelley, a coding agent that is a server: spoken to over its HTTP API. */
export const shelleyDriver: Driver = {
  id: "shelley",
  title: "Shelley",
  capabilities: {
    liveContext: "live",
    windowSource: "`max_context_tokens` of the model in use, from Shelley's model list",
    gentleStop: "`cancel` once the running tool calls have ended",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: false,
    exitMeaning: "none: Shelley is a server that stays; its end-of-turn message counts",
  },
  find: async (settings, env) => {
    const url = findUrl(settings, env);
    return url !== undefined && connectShelley(url).isThere(AbortSignal.timeout(LOOK_MS));
  },
  describe: (request) => ({
    command: "POST",
    args: [`${findUrl(request.settings, request.env) ?? "(no server found)"}/api/conversations/new`],
  }),
  start: async (request) => {
    const url = findUrl(request.settings, request.env);
    if (url !== undefined) return startSession(request, connectShelley(url));
    const hint = 'start it, or name it in the config: agents.shelley.url = "http://localhost:9999"';
    throw new AppError("unavailable", `no Shelley server was found; ${hint}`);
  },
};
