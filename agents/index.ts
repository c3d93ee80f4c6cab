import type { Agent } from "./agent.ts";
import { acp } from "./acp/agent.ts";
import { agy } from "./agy/agent.ts";
import { claude } from "./claude/agent.ts";
import { codex } from "./codex/agent.ts";
import { command } from "./command/agent.ts";
import { gemini } from "./gemini/agent.ts";
import { opencode } from "./opencode/agent.ts";
import { pi } from "./pi/agent.ts";
import { scripted } from "./scripted/agent.ts";
import { shelley } from "./shelley/agent.ts";

export type { Agent } from "./agent.ts";

/** Every agent Nightshift knows. Order is the order in which PATH is searched. */
export const AGENTS = {
  claude,
  codex,
  opencode,
  gemini,
  agy,
  pi,
  shelley,
  command,
  acp,
  scripted,
} satisfies Record<string, Agent>;

export type AgentId = keyof typeof AGENTS;

/** The agents that are programs of their own, with their ids. */
export const listPrograms = (): { id: AgentId; agent: Agent; program: string }[] =>
  Object.entries(AGENTS).flatMap(([id, agent]: [string, Agent]) =>
    agent.program === undefined ? [] : [{ id: id as AgentId, agent, program: agent.program }],
  );
