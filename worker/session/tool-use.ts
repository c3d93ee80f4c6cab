import type { AgentEvent } from "../../agents/driver.ts";

/** One tool call of a session, in short; `running`: its end was not seen, so nobody knows whether it took effect. */
export type ToolUse = {
  id: string;
  name: string;
  summary: string;
  outcome: "done" | "failed" | "running";
  reason?: string;
};

const KEPT_TOOLS = 60;

/** The tool calls with one more event; the newest are kept, and of those that still run all. */
export const noteTool = (
  tools: readonly ToolUse[],
  event: Extract<AgentEvent, { type: "tool-start" | "tool-end" }>,
): ToolUse[] => {
  if (event.type === "tool-start") {
    const { id, name, summary } = event;
    const kept = tools.filter(
      (tool, index) => tool.outcome === "running" || index > tools.length - KEPT_TOOLS,
    );
    return [...kept, { id, name, summary, outcome: "running" }];
  }
  return tools.map((tool) =>
    tool.id === event.id && tool.outcome === "running"
      ? {
          ...tool,
          outcome: event.isError ? "failed" : "done",
          ...(event.reason === undefined ? {} : { reason: event.reason }),
        }
      : tool,
  );
};

const TITLE = "## What its tools did";
const LEGEND =
  "Oldest first. Everything not marked failed has taken effect: do not repeat it. What was still running may have: check before you repeat it.";
const KEPT_LINES = 60;
/** Beside a note of the agent's own they only bear it out. */
const KEPT_BESIDE_NOTE = 20;

const lineOf = (session: number, { name, summary, outcome, reason }: ToolUse): string => {
  const what = `- session ${session}: ${name} ${summary}`.trimEnd();
  if (outcome === "done") return what;
  if (outcome === "failed") return `${what} (failed${reason === undefined ? "" : `: ${reason}`})`;
  return `${what} (was still running when the session ended)`;
};

const earlierLines = (previous: string): string[] => {
  const from = previous.indexOf(`\n${TITLE}\n`);
  if (from < 0) return [];
  const rest = previous.slice(from + TITLE.length + 2);
  const end = rest.search(/^## /m);
  return (end < 0 ? rest : rest.slice(0, end)).split("\n").filter((line) => line.startsWith("- session "));
};

/**
 * What the tools of a session did, for an agent that shares nothing with it but the files. Where the session left no
 * note of its own, the calls of the sessions before it (`previous`: their handoff) stand there, too: nobody else tells
 * of them.
 */
export const renderTools = (
  session: number,
  tools: readonly ToolUse[],
  previous: string | undefined,
): string[] => {
  const lines = [
    ...(previous === undefined ? [] : earlierLines(previous)),
    ...tools.map((tool) => lineOf(session, tool)),
  ];
  if (lines.length === 0) return [];
  const most = previous === undefined ? KEPT_BESIDE_NOTE : KEPT_LINES;
  const left = Math.max(0, lines.length - most);
  return [
    "",
    TITLE,
    "",
    LEGEND,
    "",
    ...(left > 0 ? [`(${left} earlier calls are left out)`] : []),
    ...lines.slice(-most),
  ];
};
