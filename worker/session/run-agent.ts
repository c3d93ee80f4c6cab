import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, DriverSession } from "../../agents/driver.ts";
import type { Spending } from "../../agents/spending.ts";
import { MARKER, endMarked, nestMark } from "../../core/process-tree.ts";
import type { WorkerLog } from "../state/worker-log.ts";
import type { SessionRecord } from "../state/worker-state.ts";
import { readClosingLine } from "./closing-line.ts";
import { closingNotePrompt } from "./compose-prompt.ts";
import type { SessionContext, SessionInput, SessionPorts } from "./session-ports.ts";
import { type Progress, createProgress, watchAgent } from "./watch-agent.ts";

const minutes = (value: number): number => value * 60_000;

/** The environment of a session's agent: marked, and telling its tools whose worker they work for. */
export const sessionEnv = (
  ports: Pick<SessionPorts, "env" | "settings">,
  { state, record }: SessionInput,
) => ({
  ...ports.env,
  ...ports.settings.env,
  NIGHTSHIFT_WORKER: state.name,
  NIGHTSHIFT_SESSION: String(record.number),
  [MARKER]: nestMark(ports.env, record.mark),
});

/** A folder for the session alone; elsewhere when the workers' folder is full. */
const makeScratch = (path: string): string => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  } catch {
    return mkdtempSync(join(tmpdir(), "nightshift-scratch-"));
  }
};

const CRITIC_STOP = "nightshift critic: STOP";

const isCriticStop = (event: AgentEvent): event is AgentEvent & { reason: string } =>
  event.type === "tool-end" && event.isError && (event.reason?.includes(CRITIC_STOP) ?? false);

/** Which rule and why, without what the agent's own hook machinery puts before it. */
const afterCritic = (problem: string): string =>
  problem.slice(problem.indexOf(CRITIC_STOP) + CRITIC_STOP.length).replace(/^[.:\s]+/, "");

const logEvent = (log: WorkerLog, event: AgentEvent): void => {
  switch (event.type) {
    case "started":
      return log.line(`agent: conversation ${event.conversationId}${event.model ? ` (${event.model})` : ""}`);
    case "text":
      return log.line(`agent: ${event.text}`);
    case "tool-start":
      return log.line(`tool: ${event.name} ${event.summary}`);
    case "model":
      return log.line(`agent: model ${event.model}`);
    case "tool-end":
      if (!event.isError) return;
      return log.line(
        isCriticStop(event)
          ? `critic: stopped this tool: ${afterCritic(event.reason)}`
          : `tool: failed${event.reason === undefined ? "" : `: ${event.reason}`}`,
      );
    case "activity":
      return;
    case "usage":
      return log.line(
        `context: ${event.contextTokens} tokens${event.windowTokens ? ` of ${event.windowTokens}` : ""} (${event.source})`,
      );
    case "rate-limit":
      return log.line(`rate limit: ${event.message}`);
    case "warning":
      return log.line(`warning: ${event.message}`);
    case "ended":
      return log.line(`agent ended: ${event.reason}${event.message ? `: ${event.message}` : ""}`);
  }
};

/** A session that was stopped before its agent began: it cost nothing, and counts for nothing. */
export const skipAgent = (
  { clock }: SessionPorts,
  { record }: SessionInput,
  context: SessionContext,
): void => {
  record.isCounted = false;
  context.result = {
    progress: createProgress(clock.elapsed()),
    endReason: "stopped",
    lastText: "",
    ended: undefined,
  };
};

/** Starts the agent, follows it to its end, asks for its note, and ends whatever it left. */
export const runAgent = async (
  ports: SessionPorts,
  input: SessionInput,
  context: SessionContext,
): Promise<void> => {
  const { driver, clock, log } = ports;
  const { state, record } = input;
  const scratchDir = makeScratch(join(ports.files.scratch, record.mark));
  const { limits } = state;
  const session: DriverSession = await driver.start({
    prompt: context.prompt,
    dir: state.dir,
    settings: ports.settings,
    env: sessionEnv(ports, input),
    scratchDir,
    ...(state.model === undefined ? {} : { model: state.model }),
    ...(limits.costUsd === undefined ? {} : { budgetUsd: limits.costUsd - state.costUsd }),
  });
  const startedMs = Date.parse(state.startedAt);
  try {
    context.result = await watchAgent(
      {
        clock,
        stop: ports.stop,
        onEvent: (event, progress) => {
          log.event(event.type, { session: record.number, ...event });
          logEvent(log, event);
          if (isCriticStop(event)) record.criticStops = (record.criticStops ?? 0) + 1;
          takeProgress(record, progress);
          ports.onProgress(record, progress);
        },
      },
      session,
      {
        contextPercent: limits.contextPercent,
        sessionMs: minutes(limits.sessionMinutes),
        idleMs: minutes(limits.idleMinutes),
        stopGraceMs: minutes(limits.handoffMinutes),
        ...(ports.settings.contextWindow === undefined ? {} : { windowTokens: ports.settings.contextWindow }),
        ...nameModel(state.model ?? ports.settings.model),
        ...(limits.costUsd === undefined ? {} : { costUsd: limits.costUsd - state.costUsd }),
        ...(limits.tokens === undefined ? {} : { tokens: limits.tokens - state.tokens }),
        ...(limits.totalHours === undefined ? {} : { deadlineMs: startedMs + limits.totalHours * 3_600_000 }),
      },
    );
    const { endReason, lastText } = context.result;
    sayWindow(ports, context.result.progress);
    context.closing = readClosingLine(lastText);
    if (needsNote(context)) {
      log.line(`closing note asked for (${endReason})`);
      const note = await askForNote(ports, input, session, endReason);
      const closing = note === undefined ? undefined : readClosingLine(note);
      context.note = closing?.kind === "handoff" ? closing.note : note;
    }
    takeSpending(record, session.spent());
    if (limits.costUsd !== undefined && record.costUsd === undefined && record.tokens !== undefined)
      log.line(
        `warning: no price is known for ${record.model ?? "this model"}, so limits.costUsd cannot be kept; set agents.${state.agent}.prices`,
      );
  } finally {
    await session.end();
    // What left the agent's own mark behind still carries the session's.
    await endMarked(record.mark, { clock, graceMs: 1_000 });
    rmSync(scratchDir, { recursive: true, force: true });
  }
};

const takeProgress = (record: SessionRecord, progress: Progress): void => {
  if (progress.conversationId !== undefined) record.conversationId = progress.conversationId;
  if (progress.contextTokens !== undefined) record.contextTokens = progress.contextTokens;
  if (progress.model !== undefined) record.model = progress.model;
  if (progress.windowTokens !== undefined) record.windowTokens = progress.windowTokens;
  if (progress.windowSource !== undefined) record.windowSource = progress.windowSource;
  record.contextSource = progress.contextSource;
  takeSpending(record, progress.spending);
};

const takeSpending = (
  record: SessionRecord,
  { totalCostUsd, totalTokens, tokensByClass }: Spending,
): void => {
  if (totalCostUsd !== undefined) record.costUsd = totalCostUsd;
  if (totalTokens !== undefined) record.tokens = totalTokens;
  if (tokensByClass !== undefined) record.tokensByClass = tokensByClass;
};

const nameModel = (model: string | undefined) => (model === undefined ? {} : { model });

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

/** A note is asked of a living agent that gave no closing line of its own, unless there is nobody to ask. */
const needsNote = ({ closing, result }: SessionContext): boolean =>
  closing === undefined &&
  !["error", "rate-limit"].includes(result.endReason) &&
  result.progress.conversationId !== undefined;

const askForNote = async (
  ports: SessionPorts,
  { state }: SessionInput,
  session: DriverSession,
  reason: string,
): Promise<string | undefined> => {
  if (ports.driver.capabilities.closingNote === "none") return undefined;
  const words =
    reason === "context" ? `${state.limits.contextPercent} % of the context window is used` : reason;
  const timeoutMs = minutes(state.limits.handoffMinutes);
  const note = session.askForNote({ prompt: closingNotePrompt(words), timeoutMs });
  const answered = new AbortController();
  const hurried = new Promise<undefined>((resolve) => {
    const hurry = () => resolve(undefined);
    if (ports.stop.now.aborted) hurry();
    ports.stop.now.addEventListener("abort", hurry, { signal: answered.signal });
  });
  return Promise.race([note, hurried]).finally(() => answered.abort());
};
