/** The agents whose hooks, plugins or extensions ask the critic before every tool call. */
export const HOOK_AGENTS = ["claude", "codex", "gemini", "opencode", "pi"] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];
