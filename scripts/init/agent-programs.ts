/** The program that each agent is on PATH. */
export const AGENT_PROGRAMS = {
  claude: "claude",
  codex: "codex",
  opencode: "opencode",
  gemini: "gemini",
  pi: "pi",
  shelley: "shelley",
} as const;

export type AgentId = keyof typeof AGENT_PROGRAMS;
