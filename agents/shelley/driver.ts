import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { AgentSettings, Driver } from "../driver.ts";
import { connectShelley } from "./server.ts";
import { startShelleySession } from "./session.ts";

const LOOK_MS = 1_000;

/** `url` of the config, else the socket `shelley serve` opens for its own client. */
const findUrl = (settings: AgentSettings, env: Readonly<Record<string, string>>): string | undefined => {
  if (typeof settings["url"] === "string") return settings["url"];
  const config = env["XDG_CONFIG_HOME"] || join(env["HOME"] ?? "", ".config");
  const socket = join(config, "shelley", "shelley.sock");
  return existsSync(socket) ? `unix://${socket}` : undefined;
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
    if (url !== undefined) return startShelleySession(request, connectShelley(url));
    const hint = 'start it, or name it in the config: agents.shelley.url = "http://localhost:9999"';
    throw new AppError("unavailable", `no Shelley server was found; ${hint}`);
  },
};
