import { plural } from "../../core/plural.ts";
import { isInterruption } from "../../core/errors.ts";
import { gitUntil } from "../../core/git.ts";
import { endMarked } from "../../core/process-tree.ts";
import { composePrompt } from "./compose-prompt.ts";
import { describeHealth, describeMemory, describePast } from "./describe.ts";
import type { SessionRecord } from "../state/worker-state.ts";
import { describeRescue } from "./describe-rescue.ts";
import { type HealthReport, firstErrorLine, runHealth } from "./health.ts";
import { type MemoryAnswer, askMemory } from "./memory-client.ts";
import { type PastConversations, quotePast } from "./past-conversations.ts";
import { type Rescue, rescueWork } from "./rescue.ts";
import { rescueBudget } from "./rescue-budget.ts";
import { sessionEnv } from "./session-env.ts";
import { type SessionInput, type SessionPorts, patience } from "./session-ports.ts";
import type { Shown } from "./show-steps.ts";
import { putStaleLocksAside } from "./stale-git-locks.ts";
import { tryAgain } from "./try-again.ts";
import { type WorkState, readWorkState } from "./work-state.ts";

/** "2 leftover processes of an earlier session" */
export const leftProcesses = (count: number): string =>
  `${plural(count, "leftover process", "leftover processes")} of an earlier session`;

/** How the work stood before the agent began, and what of it was saved. */
export type Saved = { before: WorkState; rescue: Rescue | undefined };

export const reap = async (
  { clock, git, log, stop }: SessionPorts,
  { oldMarks, state, record }: SessionInput,
  step: Shown,
): Promise<void> => {
  const ended = await Promise.all(oldMarks.map((mark) => endMarked(mark, { clock })));
  const pids = ended.flatMap((one) => one.ended.map(({ pid }) => pid));
  step.title = pids.length === 0 ? "Nothing left running" : `Ended ${leftProcesses(pids.length)}`;
  if (pids.length > 0) log.line(`ended ${leftProcesses(pids.length)}: ${pids.join(" ")}`);
  const earlier = state.sessions.filter(({ number }) => number < record.number).slice(-3);
  if (earlier.length === 0 || stop.asked.aborted) return;
  const sinceMs = Math.min(...earlier.map(({ startedAt }) => Date.parse(startedAt)));
  for (const lock of await putStaleLocksAside(git, { sinceMs }))
    log.line(`moved a stale git lock aside: ${lock}`);
};

/** @throws AppError `interrupted` when a stop was asked for meanwhile: what is uncommitted stays where it is */
export const saveWork = async (
  ports: SessionPorts,
  { state, record, workTree }: SessionInput,
  step: Shown,
): Promise<Saved> => {
  const { log, stop } = ports;
  const git = gitUntil(ports.git, stop.asked);
  const saved = await tryAgain(patience(ports, state, stop.asked), async (): Promise<Saved> => {
    const before = await readWorkState(git, { dir: state.dir, workTree });
    const rescue =
      before.git &&
      (await rescueWork(git, {
        state: before.git,
        worker: state.name,
        session: record.number,
        budget: rescueBudget(state.limits),
      }));
    return { before, rescue };
  });
  const { before, rescue } = saved;
  step.title = describeRescue(rescue);
  if (before.problem !== undefined) log.line(`git cannot say what is uncommitted: ${before.problem}`);
  if (rescue && Object.values(rescue).some(({ length }) => length > 0)) {
    log.line(step.title);
    log.event("rescue", { session: record.number, ref: rescue.saved[0]?.ref, ...rescue });
  }
  return saved;
};

/** The gates; undefined when they were cut short, which says nothing. */
export const checkHealth = async (
  ports: SessionPorts,
  input: SessionInput,
  { when, signal }: { when: "before" | "after"; signal: AbortSignal },
): Promise<HealthReport | undefined> => {
  const { log, clock } = ports;
  const { state, record, gates } = input;
  log.event("gates-begin", { session: record.number, when });
  const health = await tryAgain(patience(ports, state, signal), () =>
    runHealth(
      { clock, env: sessionEnv(ports, input), confinement: ports.confinement, signal },
      { dir: state.dir, gates, timeoutMs: state.limits.gateMinutes * 60_000 },
    ),
  ).catch((error: unknown) => {
    if (isInterruption(error) || signal.aborted) return undefined;
    throw error;
  });
  if (health) tellHealth(ports, record, { when, health });
  else log.line(`gates ${when}: interrupted, stop requested`);
  return health;
};

export const tellHealth = (
  { log }: Pick<SessionPorts, "log">,
  { number }: SessionRecord,
  { when, health }: { when: "before" | "after"; health: HealthReport },
): void => {
  log.line(`gates ${when}: ${describeHealth(health)}`);
  const first = health.record.verdict === "blocked" ? { firstError: firstErrorLine(health.report) } : {};
  log.event("gates", { session: number, when, ...health.record, ...first, report: health.report });
};

export const injectMemory = async (
  { fetch, memory: settings, memoryOff, log }: SessionPorts,
  { state }: SessionInput,
  step: Shown,
): Promise<MemoryAnswer | undefined> => {
  const memory = settings
    ? await askMemory({ fetch }, settings, `Project: ${state.dir}. Task: ${state.task}`)
    : undefined;
  const shown = describeMemory(memory, { url: settings?.url, off: memoryOff });
  step.title = `Memory: ${shown}`;
  log.line(`memory: ${shown}`);
  log.event("memory", { ...(memory ?? { status: "off" }) });
  return memory;
};

export const readPast = async (
  { log }: SessionPorts,
  asked: Promise<PastConversations>,
  step: Shown,
): Promise<PastConversations> => {
  const past = await asked;
  step.title = `Past conversations: ${describePast(past)}`;
  log.line(`past conversations: ${describePast(past)}`);
  log.event("recall", {
    ...past,
    ...(past.status === "found" ? { memories: past.memories.map(({ source }) => source) } : {}),
  });
  return past;
};

/** The session's prompt out of everything that was found out for it. */
export const writePrompt = (
  { handoffs, randomWord, recall: settings, log }: SessionPorts,
  { state, record, previousHandoff, remarks }: SessionInput,
  {
    before,
    rescue,
    health,
    memory,
    past,
  }: Saved & { health: HealthReport; memory: MemoryAnswer | undefined; past: PastConversations },
): string => {
  const prompt = composePrompt({
    worker: state,
    session: record.number,
    nonce: randomWord(),
    remarks,
    previousHandoff,
    readHandoff: handoffs.get,
    before,
    rescue,
    memory: memory?.status === "ok" ? memory.text : undefined,
    past: (known) => quotePast(past, { known, maxTokens: settings?.maxTokens ?? 0 }),
    health,
  });
  log.event("prompt", { session: record.number, prompt });
  return prompt;
};
