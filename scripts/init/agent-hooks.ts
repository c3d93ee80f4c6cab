import { AppError } from "../../core/errors.ts";

type HookCommand = { type: "command"; command: string; timeout?: number };
type HookGroup = { matcher?: string; hooks?: HookCommand[] };
type Settings = { hooks?: { PreToolUse?: HookGroup[]; [event: string]: unknown }; [key: string]: unknown };

/** Where each agent looks for a project's hooks. */
export const HOOK_FILES = { claude: ".claude/settings.json", codex: ".codex/hooks.json" } as const;
export type HookedAgent = keyof typeof HOOK_FILES;

const MATCHER = {
  claude: "Bash|Edit|Write|MultiEdit|NotebookEdit|Task|Agent|TodoWrite|ExitPlanMode",
  codex: "",
} as const;
const TIMEOUT_SECONDS = 10;

/**
 * The hook's command. In both agents only exit 2 blocks, so every other failure (node or the file is gone)
 * becomes 2 as well: a critic that is not there must not read as a yes.
 */
export const hookCommand = (agent: HookedAgent, script: string): string =>
  `node ${script} --hook ${agent} || exit 2`;

const isOurs = ({ command }: HookCommand): boolean =>
  /check\.mjs["']? --hook (?:claude|codex)\b/.test(command);

const parse = (text: string | undefined, path: string): Settings => {
  if (text === undefined || text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Settings;
  } catch {
    // told below
  }
  throw new AppError("bad-data", `${path} is no JSON object; correct it, then run init again`);
};

const print = (settings: Settings): string => `${JSON.stringify(settings, undefined, 2)}\n`;

/** The settings without our hook; whatever else stands there stays as it is. */
const withoutOurs = (settings: Settings): Settings => {
  const groups = settings.hooks?.PreToolUse;
  if (!Array.isArray(groups)) return settings;
  const left = groups
    .map((group) => ({ ...group, hooks: (group.hooks ?? []).filter((hook) => !isOurs(hook)) }))
    .filter((group, i) => group.hooks.length > 0 || (groups[i]?.hooks ?? []).length === 0);
  const { PreToolUse: _, ...events } = settings.hooks ?? {};
  const hooks = left.length > 0 ? { ...events, PreToolUse: left } : events;
  const { hooks: __, ...rest } = settings;
  return Object.keys(hooks).length > 0 ? { ...rest, hooks } : rest;
};

/** A settings file with the critic's hook in it, once, whatever was there before. */
export const addHook = (
  text: string | undefined,
  { agent, script }: { agent: HookedAgent; script: string },
): string => {
  const settings = withoutOurs(parse(text, HOOK_FILES[agent]));
  const own: HookGroup = {
    matcher: MATCHER[agent],
    hooks: [{ type: "command", command: hookCommand(agent, script), timeout: TIMEOUT_SECONDS }],
  };
  return print({
    ...settings,
    hooks: { ...settings.hooks, PreToolUse: [...(settings.hooks?.PreToolUse ?? []), own] },
  });
};

/** A settings file without it; undefined when nothing else was in the file. */
export const removeHook = (text: string, agent: HookedAgent): string | undefined => {
  const settings = withoutOurs(parse(text, HOOK_FILES[agent]));
  return Object.keys(settings).length === 0 ? undefined : print(settings);
};

export const hasHook = (text: string | undefined): boolean =>
  text !== undefined && /check\.mjs\\?["']? --hook /.test(text);
