import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { AppError } from "../../core/errors.ts";
import { builtProgram } from "../../core/version.ts";
import { startJsonLinesSession } from "../command/json-lines-session.ts";
import { loadScript } from "./script.ts";
import type { AgentSettings, Driver, SessionRequest } from "../driver.ts";

/** Beside the script and of this directory alone, so that one script serves many workers. */
const stateFile = (settings: AgentSettings, script: string, dir: string): string => {
  if (typeof settings["state"] === "string") return resolve(dir, settings["state"]);
  return `${script}.${createHash("sha256").update(dir).digest("hex").slice(0, 12)}.state.json`;
};

const getScriptFile = ({ settings, dir }: SessionRequest): string => {
  if (typeof settings["script"] === "string") return resolve(dir, settings["script"]);
  throw new AppError("config", 'agents.scripted needs a `script`, e.g. { script: "/tmp/script.json" }');
};

const commandLine = (request: SessionRequest): { command: string; args: string[] } => {
  const { settings, dir } = request;
  const script = getScriptFile(request);
  return {
    command: process.execPath,
    args: [builtProgram("agents/scripted/program.js"), script, stateFile(settings, script, dir)],
  };
};

/** A real process that plays a JSON script: for the demo and the tests. There is no model behind it. */
export const scriptedDriver: Driver = {
  id: "scripted",
  title: "Scripted agent (plays a script, no model)",
  isScripted: true,
  capabilities: {
    liveContext: "live",
    windowSource: "the script says it",
    gentleStop: "between two steps of the script",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: true,
    exitMeaning: "the `turn-end` line counts; leaving without it is an error",
  },
  // Never found by itself: only a config that names a script asks for it.
  find: async (settings) => typeof settings["script"] === "string",
  describe: commandLine,
  start: async (request) => {
    loadScript(getScriptFile(request)); // its faults are the config's, not the agent's
    return startJsonLinesSession(request, commandLine(request));
  },
};
