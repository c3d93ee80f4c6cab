import { AppError } from "../../core/errors.ts";
import { HOOK_AGENTS, type HookAgent } from "../../gates/critic/hook-agents.ts";
import { isOwnPlugin, PLUGINS } from "./hook-plugins.ts";

type HookCommand = { type: "command"; command: string; timeout?: number };
type HookGroup = { matcher?: string; hooks?: HookCommand[] };
type Settings = { hooks?: Record<string, HookGroup[] | undefined>; [key: string]: unknown };

/** Where each agent looks for a project's hooks, plugins or extensions. */
export const HOOK_FILES: Readonly<Record<HookAgent, string>> = {
  claude: ".claude/settings.json",
  codex: ".codex/hooks.json",
  gemini: ".gemini/settings.json",
  opencode: ".opencode/plugin/nightshift-critic.js",
  pi: ".pi/extensions/nightshift-critic.ts",
};

/** The agents whose hooks are commands in a settings file, and what each calls them. */
const SETTINGS = {
  claude: {
    event: "PreToolUse",
    matcher: "Bash|Edit|Write|MultiEdit|NotebookEdit|Task|Agent|TodoWrite|ExitPlanMode",
    timeout: 10,
  },
  codex: { event: "PreToolUse", matcher: "", timeout: 10 },
  // In milliseconds; it matches each tool that changes something.
  gemini: {
    event: "BeforeTool",
    matcher: "run_shell_command|write_file|replace|write_todos",
    timeout: 10_000,
  },
} as const;
type SettingsAgent = keyof typeof SETTINGS;

const isSettingsAgent = (agent: HookAgent): agent is SettingsAgent => agent in SETTINGS;

/**
 * The hook's command. In each agent only exit 2 blocks, so every other failure (node or the file is gone)
 * becomes 2 as well: a critic that is not there must not read as a yes.
 */
export const hookCommand = (agent: HookAgent, script: string): string =>
  `node ${script} --hook ${agent} || exit 2`;

const OURS = new RegExp(`check\\.mjs["']? --hook (?:${HOOK_AGENTS.join("|")})\\b`);
const isOurs = ({ command }: HookCommand): boolean => OURS.test(command);

const parse = (text: string | undefined, path: string): Settings => {
  if (text === undefined || text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Settings;
  } catch {
    // told below
  }
  throw new AppError("bad-data", `${path} is not a JSON object; correct it, then run init again`);
};

const print = (settings: Settings): string => `${JSON.stringify(settings, undefined, 2)}\n`;

/** The settings without our hook; whatever else stands there stays as it is. */
const withoutOurs = (settings: Settings, event: string): Settings => {
  const groups = settings.hooks?.[event];
  if (!Array.isArray(groups)) return settings;
  const left = groups
    .map((group) => ({ ...group, hooks: (group.hooks ?? []).filter((hook) => !isOurs(hook)) }))
    .filter((group, i) => group.hooks.length > 0 || (groups[i]?.hooks ?? []).length === 0);
  const { [event]: _, ...events } = settings.hooks ?? {};
  const hooks = left.length > 0 ? { ...events, [event]: left } : events;
  const { hooks: __, ...rest } = settings;
  return Object.keys(hooks).length > 0 ? { ...rest, hooks } : rest;
};

/** A file of an agent's with the critic's hook in it, once, whatever was there before. */
export const addHook = (
  text: string | undefined,
  { agent, script }: { agent: HookAgent; script: string },
): string => {
  if (!isSettingsAgent(agent)) {
    if (text === undefined || isOwnPlugin(text)) return PLUGINS[agent];
    throw new AppError(
      "bad-data",
      `${HOOK_FILES[agent]} is not the critic's; rename it, then run init again`,
    );
  }
  const { event, matcher, timeout } = SETTINGS[agent];
  const settings = withoutOurs(parse(text, HOOK_FILES[agent]), event);
  const own: HookGroup = {
    matcher,
    hooks: [{ type: "command", command: hookCommand(agent, script), timeout }],
  };
  return print({
    ...settings,
    hooks: { ...settings.hooks, [event]: [...(settings.hooks?.[event] ?? []), own] },
  });
};

/** The file without it; undefined when nothing else was in it. */
export const removeHook = (text: string, agent: HookAgent): string | undefined => {
  if (!isSettingsAgent(agent)) return isOwnPlugin(text) ? undefined : text;
  const settings = withoutOurs(parse(text, HOOK_FILES[agent]), SETTINGS[agent].event);
  return Object.keys(settings).length === 0 ? undefined : print(settings);
};

export const hasHook = (text: string | undefined): boolean =>
  text !== undefined && (isOwnPlugin(text) || /check\.mjs\\?["']? --hook /.test(text));
