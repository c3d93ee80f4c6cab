import { test } from "vitest";
import { TRAITS, type Traits } from "./traits.ts";
import type { TestedAgent } from "../real-agents.ts";

type Scenario = {
  title: string;
  /** why an agent cannot pass it */
  impossible?: (traits: Traits) => string | undefined;
  /** takes long, or tries our reading more than the agent: once for each agent, in its newest version, and once over ACP */
  isOnce?: boolean;
  /** crosses the sandbox's wall with what no other scenario takes across it: tried inside, too */
  inSandbox?: boolean;
};

const NO_PROCESS = "its process is not the session's";
const ofProcess = ({ hasOwnProcess = true }: Traits) => (hasOwnProcess ? undefined : NO_PROCESS);

/** What is tried with every agent; docs/agents.md is generated from this and the traits. */
export const SCENARIOS = {
  work: {
    title: "does its work to the end, with the figures of the last call and the true window",
    inSandbox: true,
  },
  prompt: {
    title: "takes a prompt of 100 kB with quotes, backslashes, newlines and emoji as it is",
    inSandbox: true,
  },
  stop: {
    title:
      "is stopped between tool calls at 75 % of its window, writes its note in the same conversation, even if it looks at something first, and can be resumed",
    impossible: ({ forgetsTurn }) => forgetsTurn,
    inSandbox: true,
  },
  stopInTool: {
    title: "is stopped in the middle of a long tool call",
    impossible: ({ forgetsTurn }) => forgetsTurn,
  },
  stopInTools: {
    title: "is stopped during two parallel tool calls of one answer",
    impossible: ({ forgetsTurn }) => forgetsTurn,
  },
  stopInText: {
    title: "is stopped in the middle of streaming text",
    impossible: ({ forgetsTurn, streamsNothing }) => forgetsTurn ?? streamsNothing,
  },
  budget: {
    title: "is stopped when its budget is reached, with at most one call over it",
    impossible: ({ tellsCostLate }) => tellsCostLate,
  },
  compaction: {
    title:
      "compacts its context by itself; its figures follow, and it is stopped and writes its note after that",
    impossible: ({ compactsNothing }) => compactsNothing,
  },
  question: {
    title: "continues after it asks a question that nobody is there to answer",
    impossible: ({ asksNothing }) => asksNothing,
  },
  subAgents: {
    title: "counts what sub-agents use, and does not count their context as its own",
    impossible: ({ worksAlone, hidesSubAgents }) => worksAlone ?? hidesSubAgents,
  },
  refusal: { title: "reports a failing model as an error with its reason" },
  logIn: { title: "ends with an error that names the reason when the log-in has expired" },
  model: { title: "ends with an error that names the reason when the model is refused" },
  overload: {
    title: "tries again when the model is overloaded (529), or ends with an error that names the reason",
  },
  limit: {
    title: "tells a rate limit (429) from a failure, with the reset time if it knows one",
    impossible: ({ hidesRateLimit }) => hidesRateLimit,
  },
  limitWithoutReset: {
    title: "recognizes a rate limit that names no reset time",
    impossible: ({ hidesRateLimit, waitsOutLimit = hidesRateLimit }) => waitsOutLimit,
    isOnce: true,
  },
  network: {
    title: "survives 30 s without a network, or ends with an error that names the reason",
    isOnce: true,
  },
  brokenAnswer: { title: "ends when the connection breaks in the middle of an answer", inSandbox: true },
  bytes: {
    title:
      "is understood when its output arrives byte by byte, with characters split in half and garbage between the lines",
    impossible: ofProcess,
    isOnce: true,
  },
  flood: { title: "is understood after 200 MB of output", impossible: ofProcess, isOnce: true },
  leaves: {
    title: "ends with an error when the agent exits at once with code 0",
    impossible: ofProcess,
    isOnce: true,
  },
  exitCode: {
    title: "is judged by what it says when its exit code says otherwise",
    impossible: ofProcess,
    isOnce: true,
  },
  fork: {
    title: "ends a session that hangs, and its orphans (a tool that forked into a session of its own)",
    impossible: ofProcess,
    inSandbox: true,
  },
  killed: { title: "ends with an error when it is killed", impossible: ofProcess, inSandbox: true },
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

/** Why an agent cannot pass a scenario; undefined where it passes. */
export const whyNot = (id: TestedAgent, name: ScenarioName): string | undefined => {
  const { impossible }: Scenario = SCENARIOS[name];
  return impossible?.(TRAITS[id]);
};

/** Registers scenarios of one agent, and says in the end which were left out. */
export const scenariosOf = (
  id: TestedAgent,
  { isQuick, inSandbox }: { isQuick: boolean; inSandbox: boolean },
) => {
  const missing = new Set<string>(Object.keys(SCENARIOS));
  return {
    scenario: (name: ScenarioName, run: () => Promise<void>): void => {
      missing.delete(name);
      const { title, isOnce = false, inSandbox: isOfSandbox = false }: Scenario = SCENARIOS[name];
      if ((isOnce && isQuick) || (inSandbox && !isOfSandbox)) return;
      const why = whyNot(id, name);
      test.skipIf(why)(why === undefined ? title : `${title} (not possible: ${why})`, run);
    },
    missing,
  };
};

export type Register = ReturnType<typeof scenariosOf>["scenario"];
