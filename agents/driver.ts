import type { Budget } from "../core/config/sections/budget.ts";
import type { Confinement } from "../core/confinement.ts";
import type { ChildIdentity } from "../core/process-identity.ts";
import type { Price } from "./prices.ts";
import type { Spending } from "./spending.ts";

/** Where a session's context figures come from; shown to the user, because not every CLI tells the truth live. */
export type ContextSource = "live" | "per-turn" | "after-session" | "estimate" | "none";

/** Why the agent's own process (or turn) came to its end, as far as the driver can tell. */
export type AgentEndReason = "completed" | "interrupted" | "error" | "rate-limit" | "limit" | "not-started";

/**
 * What a driver tells its supervisor while an agent works. Token figures of `usage` are those of the last
 * single model call (input with both caches, plus output); they are never summed over calls.
 */
export type AgentEvent =
  | { type: "started"; conversationId: string; model?: string }
  /** the model that answers from now on, in the agent's own spelling */
  | { type: "model"; model: string }
  | { type: "text"; text: string }
  | { type: "tool-start"; id: string; name: string; summary: string }
  /** `reason`: why it failed, in one short line */
  | { type: "tool-end"; id: string; isError: boolean; reason?: string }
  | ({
      type: "usage";
      contextTokens: number;
      windowTokens?: number;
      source: ContextSource;
    } & Spending)
  /** it printed something that is none of the others: it is not idle; at most one a second */
  | { type: "activity" }
  /** an event that the driver does not know; `line` is its beginning. Each kind is told a few times, and counted. */
  | { type: "unknown"; kind: string; line: string }
  | { type: "rate-limit"; message: string; resetsAtMs?: number }
  | { type: "warning"; message: string }
  | ({
      type: "ended";
      reason: AgentEndReason;
      /** the agent's last text of its own, whole; where `DONE:` and `HANDOFF:` lines are looked for */
      lastText: string;
      exitCode?: number;
      signal?: string;
      message?: string;
      /** how many events of each kind the driver did not know */
      unknownEvents?: Readonly<Record<string, number>>;
    } & Spending);

/** What an agent can do; docs/agents.md is generated from these. */
export type DriverCapabilities = {
  liveContext: ContextSource;
  /** how the true window is known, in words */
  windowSource: string;
  /** how it is stopped between tool calls, in words */
  gentleStop: string;
  closingNote: "same process" | "resumed conversation" | "none";
  resume: boolean;
  /** whether the agent says what it has cost, or list prices are put on its tokens */
  cost: "reported" | "estimated" | "none";
  rateLimitReset: boolean;
  /** it asks leave before a tool call, and is answered by the critic */
  asksLeave?: boolean;
  /** what the exit code is worth, in words */
  exitMeaning: string;
};

/** What the config says about an agent (`agents.<id>`); everything is optional. */
export type AgentSettings = {
  command?: string;
  args?: readonly string[];
  model?: string;
  env?: Readonly<Record<string, string>>;
  contextWindow?: number;
  /** by model, in the agent's own spelling; before the list prices */
  prices?: Readonly<Record<string, Price>>;
  /** what all workers may spend with it */
  budget?: Budget;
  [key: string]: unknown;
};

/** A tool call that an agent asks leave for. */
export type AskedCall = { tool: string; input: Readonly<Record<string, unknown>> };

export type SessionRequest = {
  prompt: string;
  /** real path of the working directory */
  dir: string;
  model?: string;
  settings: AgentSettings;
  /** the whole environment of the child, marker included; drivers add to it, never take from elsewhere */
  env: Readonly<Record<string, string>>;
  /** where its processes run; on the open machine without one */
  confinement?: Confinement | undefined;
  /** a folder that belongs to this session alone, for hook files and the like; exists */
  scratchDir: string;
  /** go on in this conversation instead of a new one */
  resume?: string;
  /** USD that may still be spent; for agents that tell what they cost only when it is too late to stop them */
  budgetUsd?: number;
  /** why a tool call that the agent asks leave for must not be made; undefined where it may. Without it, all may. */
  refuseCall?: (call: AskedCall) => Promise<string | undefined>;
};

/** A running session. `events` ends after `ended`, which always comes, exactly once. */
export type DriverSession = {
  events: AsyncIterable<AgentEvent>;
  /** identity of the process that was started, if one was */
  child: ChildIdentity | undefined;
  /**
   * Stop between tool calls by the agent's gentlest way; `ended` follows, once the running tool call is over.
   * With `mayCutTool` the tool call need not be waited for, where the agent can do that. Asking again is
   * harmless. Resolves when it was asked.
   */
  stopGently: (options?: { mayCutTool?: boolean }) => Promise<void>;
  /**
   * Ask for a closing note in the same conversation. Call it after `stopGently` and before `events` has
   * been read to its end, or after it. Undefined when the agent gives none before `timeoutMs`.
   */
  askForNote: (request: { prompt: string; timeoutMs: number }) => Promise<string | undefined>;
  /** what the session has cost so far, the closing note included; empty where the agent does not say */
  spent: () => Spending;
  /** end the process and its whole tree, gentle first; resolves when it is gone; call it after `ended`, too */
  end: (options?: { graceMs?: number }) => Promise<void>;
};

/** One coding agent: how it is found, started, watched and stopped. */
export type Driver = {
  id: string;
  title: string;
  /** shown wherever results could be taken for a real agent's work */
  isScripted?: boolean;
  capabilities: DriverCapabilities;
  /**
   * Whether it is there, without running it; only where that is no question of its program on `PATH`, which
   * `isInstalled` in `worker/start/find-driver.ts` answers.
   */
  find?: (settings: AgentSettings, env: Readonly<Record<string, string>>) => Promise<boolean>;
  /** the command line a session would run, for `--dry-run`; the prompt is shown apart */
  describe: (request: SessionRequest) => { command: string; args: readonly string[] };
  start: (request: SessionRequest) => Promise<DriverSession>;
};
