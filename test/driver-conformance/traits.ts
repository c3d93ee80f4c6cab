import type { TestedAgent } from "../real-agents.ts";

/** What an agent does otherwise than most, each of which docs/agents.md says. A text is why something is not possible. */
export type Traits = {
  hasOwnProcess?: boolean;
  /** when it tells how full its context is */
  usage?: "each call" | "end of turn" | "never";
  /** whether it tells the tokens of a session */
  tellsTokens?: boolean;
  /** a tool call that it asks leave for is called off when the session is to stop */
  callsOff?: boolean;
  /** a tool call in the closing note is called off by the agent itself */
  refusesToolsInNote?: boolean;
  /** stopped while it streams text, it still makes the tool call that this text ends in */
  makesCallBeingWritten?: boolean;
  /** it does not tell what it has cost before its turn is over */
  tellsCostLate?: string;
  /** its text does not come in pieces */
  streamsNothing?: string;
  /** it cannot go on in a conversation whose turn was stopped */
  forgetsTurn?: string;
  /** it cannot tell a rate limit from a failure */
  hidesRateLimit?: string;
  /** it cannot tell a rate limit that names no reset */
  waitsOutLimit?: string;
  /** it never compacts its context in the middle of its work */
  compactsNothing?: string;
  /** it does not tell what its summary of a compacted context has used */
  hidesSummaryUsage?: boolean;
  /** it cannot ask a question in the middle of its work */
  asksNothing?: string;
  /** it gives no work to sub-agents */
  worksAlone?: string;
  /** the tokens of its sub-agents are not in the figures of the session */
  hidesSubAgents?: string;
};

const NO_TOOL = "it offers its model no tool for that where nobody is there";
const TRIES_ON = "it tries again by itself for minutes";
const COST_AT_END = "it tells its cost at the end of its turn";
const NO_TOKENS = "the protocol does not tell the tokens of a call";

const claude: Traits = { makesCallBeingWritten: true, asksNothing: NO_TOOL };
// At 600,000 of 1,048,576 tokens (it compresses from half of them on), 0.55.1 and 0.61.0 sent everything as it was: the
// history is split before a prompt only, never before a tool's result (`findCompressSplitPoint`).
const BETWEEN_PROMPTS = "it compresses only what comes before its last prompt, and a session has one";
const gemini: Traits = {
  waitsOutLimit: TRIES_ON,
  compactsNothing: BETWEEN_PROMPTS,
  asksNothing: NO_TOOL,
};
const pi: Traits = { asksNothing: "it has no tool for that", worksAlone: "it has no sub-agents" };

export const TRAITS: Record<TestedAgent, Traits> = {
  claude,
  "claude-newest": claude,
  // 0.101.0 calls off the first tool call after a cancelled turn ("The user cancelled this prompt") and goes on.
  "claude-acp": {
    tellsTokens: false,
    tellsCostLate: COST_AT_END,
    callsOff: true,
    refusesToolsInNote: true,
    asksNothing: NO_TOOL,
    hidesSubAgents: NO_TOKENS,
  },
  codex: {},
  "codex-oldest": {},
  "codex-exec": { hidesSubAgents: "each of them has a rollout file of its own" },
  opencode: {},
  "opencode-oldest": {},
  "opencode-acp": {
    usage: "end of turn",
    tellsTokens: false,
    tellsCostLate: COST_AT_END,
    hidesRateLimit: "it tries again by itself and says nothing",
    asksNothing: NO_TOOL,
    hidesSubAgents: NO_TOKENS,
  },
  gemini,
  "gemini-oldest": gemini,
  "gemini-acp": {
    usage: "never",
    tellsTokens: false,
    tellsCostLate: "it tells no cost",
    waitsOutLimit: TRIES_ON,
    compactsNothing: BETWEEN_PROMPTS,
    forgetsTurn: "0.61.0 forgets a turn that was cancelled",
    asksNothing: NO_TOOL,
    hidesSubAgents: NO_TOKENS,
  },
  pi: { ...pi, hidesSummaryUsage: true },
  "pi-newest": pi,
  // Against the double of its HTTP API (test/shelley-api): the server is not ours, so no process belongs to a session.
  shelley: {
    hasOwnProcess: false,
    streamsNothing: "its double asks the model for whole answers",
    compactsNothing: "its double does not compact",
    asksNothing: "its double has no tool for that",
    worksAlone: "its double has no sub-agents",
  },
};
