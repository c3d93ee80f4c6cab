import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { conversationPorts } from "../../conversations/ports.ts";
import { isAnythingThere } from "../../conversations/find.ts";
import { listHandoffFiles } from "../../conversations/handoff-files.ts";
import { composeRecall, isToldBy, type Memory, type Recall } from "../../conversations/recall-text.ts";
import { runChild } from "../../core/child-process.ts";
import type { Clock } from "../../core/clock.ts";
import { errorText } from "../../core/errors.ts";
import type { WorkerState } from "../state/worker-state.ts";

export type RecallSettings = { scope: "everywhere" | "directory"; maxTokens: number; timeoutMs: number };

/** What past conversations say about a task; never a reason for a session to fail. */
export type PastConversations =
  | { status: "off" | "none" }
  | { status: "found"; memories: readonly Memory[] }
  | { status: "unavailable"; problem: string };

/** Asks what past conversations say. */
export type RecallPast = (ask: Ask) => Promise<PastConversations>;

type Ask = {
  state: Pick<WorkerState, "task" | "dir" | "agent" | "sessions">;
  /** the worker's own notes: the session is told the last of them anyway */
  handoffs: string;
};

const MEMORIES = 4;
const MOST_TASK_CHARS = 4_000;
/** Asked for beyond what is shown: some of it is known already. */
const SPARE = 2;

const program = (): string | undefined =>
  [
    new URL("../../scripts/agent-recall.js", import.meta.url),
    new URL("../../dist/scripts/agent-recall.js", import.meta.url),
  ]
    .map((url) => fileURLToPath(url))
    .find((path) => existsSync(path));

/** The worker's own sessions are left out: what they did is in its handoff. */
const argumentsFor = ({ state, handoffs }: Ask, { scope, maxTokens }: RecallSettings): string[] => [
  "--json",
  "--strong",
  `--tokens=${maxTokens * SPARE}`,
  `--without=${handoffs}`,
  ...state.sessions.flatMap(({ conversationId }) =>
    conversationId === undefined ? [] : ["--without", `${state.agent}:${conversationId}`],
  ),
  ...(scope === "directory" ? ["--project", state.dir] : []),
  "--",
  state.task.slice(0, MOST_TASK_CHARS),
  String(MEMORIES * SPARE),
];

/** On a machine without any the process is not worth its start. */
const isThereAny = async (env: Readonly<Record<string, string>>, own: string): Promise<boolean> => {
  const ports = conversationPorts(env);
  return listHandoffFiles(ports).some((path) => !path.startsWith(own)) || (await isAnythingThere(ports));
};

/** What of it the prompt does not say already, within the budget; undefined when nothing is left. */
export const quotePast = (
  past: PastConversations,
  { known, maxTokens }: { known: string; maxTokens: number },
): string | undefined => {
  if (past.status !== "found") return undefined;
  const fresh = past.memories.filter((memory) => !isToldBy(memory, known)).slice(0, MEMORIES);
  const { prompt } = composeRecall(fresh, maxTokens);
  return prompt === "" ? undefined : prompt;
};

/**
 * Asks the past conversations of every agent about the task. In a process of its own: on a large history the
 * first search builds an index, which must neither hold the session up nor stay in a supervisor's memory.
 */
export const recallPast = async (
  env: Readonly<Record<string, string>>,
  settings: RecallSettings | undefined,
  ask: Ask,
): Promise<PastConversations> => {
  if (!settings) return { status: "off" };
  try {
    const path = program();
    if (path === undefined) return { status: "unavailable", problem: "agent-recall is not built" };
    if (!(await isThereAny(env, ask.handoffs))) return { status: "none" };
    const child = await runChild({
      command: process.execPath,
      args: [path, ...argumentsFor(ask, settings)],
      cwd: ask.state.dir,
      env,
      timeoutMs: settings.timeoutMs,
      graceMs: 0,
    });
    const found = !child.isTimedOut && (child.exitCode === 0 || child.exitCode === 1);
    if (!found) return { status: "unavailable", problem: child.problem ?? "no answer" };
    const { memories } = JSON.parse(child.stdout) as Recall;
    return memories.length === 0 ? { status: "none" } : { status: "found", memories };
  } catch (error) {
    return { status: "unavailable", problem: errorText(error) };
  }
};

const KEPT_MS = 600_000;

/**
 * Asks once for sessions that follow one another within ten minutes: a worker's own sessions are left out of
 * the answer anyway, and the search costs as much as all the rest of a short session.
 */
export const keepRecall = (clock: Pick<Clock, "elapsed">, recall: RecallPast): RecallPast => {
  let kept: { task: string; atMs: number; past: PastConversations } | undefined;
  return async (ask) => {
    const { task } = ask.state;
    if (kept?.task === task && clock.elapsed() - kept.atMs < KEPT_MS) return kept.past;
    const past = await recall(ask);
    if (past.status !== "unavailable") kept = { task, atMs: clock.elapsed(), past };
    return past;
  };
};
