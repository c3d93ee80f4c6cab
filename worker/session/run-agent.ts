import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withoutUndefined } from "../../core/without-undefined.ts";
import type { AgentEvent, DriverSession } from "../../agents/driver.ts";
import type { Spending } from "../../agents/spending.ts";
import { errorText } from "../../core/errors.ts";
import { isPassing } from "../../core/passing-failure.ts";
import { endMarked } from "../../core/process-tree.ts";
import { type SessionRecord, deadlineOf } from "../state/worker-state.ts";
import { type ClosingLine, readClosingLine } from "./closing-line.ts";
import { closingNotePrompt } from "./compose-prompt.ts";
import { logEvent } from "./log-event.ts";
import { criticStopOf } from "../state/critic-stop.ts";
import type { criticOfCalls } from "./refuse-call.ts";
import { sessionEnv } from "./session-env.ts";
import type { SessionInput, SessionPorts } from "./session-ports.ts";
import { type Progress, type WatchResult, createProgress, watchAgent } from "./watch-agent.ts";

const minutes = (value: number): number => value * 60_000;

/** A folder for the session alone; elsewhere when the workers' folder is full. */
const makeScratch = (path: string): string => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  } catch {
    return mkdtempSync(join(tmpdir(), "nightshift-scratch-"));
  }
};

/** What came of a session's agent. */
export type Ran = {
  /** the record with what the agent reported */
  record: SessionRecord;
  result: WatchResult;
  closing: ClosingLine;
  note: string | undefined;
};

/** A session that was stopped before its agent began: it cost nothing, and counts for nothing. */
export const skipAgent = ({ clock }: SessionPorts, { record }: SessionInput): Ran => ({
  record: { ...record, isCounted: false },
  result: notBegun(clock, { endReason: "stopped" }),
  closing: undefined,
  note: undefined,
});

const notBegun = (
  clock: SessionPorts["clock"],
  end: Pick<WatchResult, "endReason" | "error">,
): WatchResult => ({ progress: createProgress(clock.elapsed()), lastText: "", ended: undefined, ...end });

/** Only for agents that ask leave before a call: the others' sessions need not hold the critic in memory. */
const openCritic = async (...about: Parameters<typeof criticOfCalls>) =>
  (await import("./refuse-call.ts")).criticOfCalls(...about);

/** Starts the agent, follows it to its end, asks for its note, and ends whatever it left. */
export const runAgent = async (ports: SessionPorts, input: SessionInput, prompt: string): Promise<Ran> => {
  const { driver, clock } = ports;
  const { state, record } = input;
  const scratchDir = makeScratch(join(ports.files.scratch, record.mark));
  try {
    const env = sessionEnv(ports, input);
    const critic = driver.capabilities.asksLeave
      ? { refuseCall: await openCritic({ env, now: clock.now, log: ports.log.line }, state.dir) }
      : {};
    const session = await driver.start({
      prompt,
      dir: state.dir,
      settings: ports.settings,
      env,
      scratchDir,
      confinement: ports.confinement,
      ...critic,
      ...(state.model === undefined ? {} : { model: state.model }),
      ...budgetOf(ports, state),
    });
    try {
      return await followAgent(ports, input, session);
    } finally {
      await session.end();
      // What left the agent's own mark behind still carries the session's.
      await endMarked(record.mark, { clock, graceMs: 1_000 });
    }
  } catch (error) {
    if (!isPassing(error)) throw error;
    const result = notBegun(clock, { endReason: "error", error: errorText(error) });
    return { record, result, closing: undefined, note: undefined };
  } finally {
    rmSync(scratchDir, { recursive: true, force: true });
  }
};

const followAgent = async (
  ports: SessionPorts,
  input: SessionInput,
  session: DriverSession,
): Promise<Ran> => {
  const { clock, log } = ports;
  const { state } = input;
  const { limits } = state;
  let { record } = input;
  const result = await watchAgent(
    {
      clock,
      stop: ports.stop,
      onEvent: (event, progress) => {
        log.event(event.type, { session: record.number, ...event });
        logEvent(log, event);
        record = withProgress(withEvent(record, event, clock.now()), progress);
        ports.onProgress(record, progress);
      },
    },
    session,
    {
      contextPercent: limits.contextPercent,
      sessionMs: minutes(limits.sessionMinutes),
      idleMs: minutes(limits.idleMinutes),
      stopGraceMs: minutes(limits.handoffMinutes),
      ...withoutUndefined({
        windowTokens: ports.settings.contextWindow,
        model: state.model ?? ports.settings.model,
        costUsd: limits.costUsd === undefined ? undefined : limits.costUsd - state.costUsd,
        tokens: limits.tokens === undefined ? undefined : limits.tokens - state.tokens,
        budgetLeftUsd: ports.budgetLeftUsd,
      }),
      deadlineMs: deadlineOf(state),
    },
  );
  sayWindow(ports, result.progress);
  const closing = readClosingLine(result.lastText);
  const note = needsNote(closing, result)
    ? await askForNote(ports, input, session, result.endReason)
    : undefined;
  record = withSpending(record, session.spent());
  sayUnknownCost(ports, state, record);
  return { record, result, closing, note };
};

const withEvent = (record: SessionRecord, event: AgentEvent, nowMs: number): SessionRecord => {
  if (event.type === "tool-start")
    return {
      ...record,
      doing: {
        what: `${event.name} ${event.summary}`.trim().slice(0, 200),
        since: new Date(nowMs).toISOString(),
      },
    };
  if (event.type !== "tool-end") return record;
  const { doing: _, ...rest } = record;
  return criticStopOf(event) !== undefined ? { ...rest, criticStops: (record.criticStops ?? 0) + 1 } : rest;
};

const withProgress = (record: SessionRecord, progress: Progress): SessionRecord => ({
  ...withSpending(record, progress.spending),
  ...withoutUndefined({
    conversationId: progress.conversationId,
    contextTokens: progress.contextTokens,
    model: progress.model,
    windowTokens: progress.windowTokens,
    windowSource: progress.windowSource,
  }),
  contextSource: progress.contextSource,
});

const withSpending = (
  record: SessionRecord,
  { totalCostUsd, totalTokens, tokensByClass }: Spending,
): SessionRecord => ({
  ...record,
  ...withoutUndefined({ costUsd: totalCostUsd, tokens: totalTokens, tokensByClass }),
});

/** What is left of the worker's own limit and of the budget of all, for an agent that keeps to it by itself. */
const budgetOf = (
  { budgetLeftUsd }: SessionPorts,
  { limits, costUsd }: SessionInput["state"],
): { budgetUsd?: number } => {
  const left = Math.min((limits.costUsd ?? Infinity) - costUsd, budgetLeftUsd?.(0) ?? Infinity);
  return left === Infinity ? {} : { budgetUsd: left };
};

const sayUnknownCost = (
  { log, driver, budgetLeftUsd }: SessionPorts,
  { limits, agent }: SessionInput["state"],
  { costUsd, tokens, model }: SessionRecord,
): void => {
  const held = [
    ...(limits.costUsd === undefined ? [] : ["limits.costUsd"]),
    ...(budgetLeftUsd ? ["budget"] : []),
  ];
  if (held.length === 0 || costUsd !== undefined) return;
  const why =
    tokens === undefined
      ? `${driver.title} reports neither tokens nor cost`
      : `no price is known for ${model ?? "this model"}`;
  const way = tokens === undefined ? "" : `; set agents.${agent}.prices`;
  log.line(`warning: ${why}, so ${held.join(" and ")} cannot be enforced${way}`);
};

/** The stop at a share of the window is only as good as what is known of the window. */
const sayWindow = ({ log, settings, driver }: SessionPorts, progress: Progress): void => {
  const way = "set agents.<id>.contextWindow to the true one";
  if (progress.windowSource === "model")
    log.line(
      `context: ${driver.title} does not say how large its window is; ${progress.windowTokens} tokens are known of ${progress.model} (${way})`,
    );
  if (progress.windowSource === "assumed")
    log.line(
      `warning: ${driver.title} does not say how large its window is, and ${progress.model ?? "its model"} is not known: ${progress.windowTokens} tokens are assumed; ${way}`,
    );
  if (progress.contextTokens === undefined && settings.contextWindow === undefined)
    log.line(
      `warning: ${driver.title} reported no tokens, so the stop at a full context could not happen; sessionMinutes and idleMinutes still hold`,
    );
};

/**
 * A note is asked of a living agent that gave no closing line of its own, unless there is nobody to ask, there is
 * no money left to ask with, or a stop's whole time went into waiting for the agent.
 */
const needsNote = (closing: ClosingLine, { ended, endReason, progress }: WatchResult): boolean =>
  closing === undefined &&
  !["error", "rate-limit", "cost"].includes(endReason) &&
  (endReason !== "stopped" || ended !== undefined) &&
  progress.conversationId !== undefined;

/** The note, or undefined where the agent gives none in time; what a gentle stop has is not prolonged by it. */
const askForNote = async (
  ports: SessionPorts,
  { state }: SessionInput,
  session: DriverSession,
  reason: string,
): Promise<string | undefined> => {
  const { overdue } = ports.stop;
  if (ports.driver.capabilities.closingNote === "none" || overdue.aborted) return undefined;
  ports.log.line(`asked the agent for a closing note (${reason})`);
  const words =
    reason === "context" ? `${state.limits.contextPercent} % of the context window is used` : reason;
  const timeoutMs = minutes(state.limits.handoffMinutes);
  const answered = new AbortController();
  const hurried = new Promise<undefined>((resolve) => {
    overdue.addEventListener("abort", () => resolve(undefined), { signal: answered.signal });
  });
  const note = await Promise.race([
    session.askForNote({ prompt: closingNotePrompt(words), timeoutMs }),
    hurried,
  ]).finally(() => answered.abort());
  const closing = note === undefined ? undefined : readClosingLine(note);
  return closing?.kind === "handoff" ? closing.note : note;
};
