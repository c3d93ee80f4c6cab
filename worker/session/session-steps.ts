import type { ListrTask, ListrTaskWrapper } from "listr2";
import { endMarked } from "../../core/process-tree.ts";
import { redactSecrets } from "../../core/redaction.ts";
import { handoffFile } from "../state/worker-files.ts";
import { askMemory } from "./memory-client.ts";
import { composePrompt } from "./compose-prompt.ts";
import { describeHealth, describeMemory, describePast, describeProgress, describeUsage } from "./describe.ts";
import { NOTHING_SAVED, describeRescue, rescueRemarks } from "./describe-rescue.ts";
import { readAcknowledgement, renderHandoff } from "./handoff.ts";
import { type HealthReport, firstErrorLine, runHealth } from "./health.ts";
import { quotePast } from "./past-conversations.ts";
import { rescueWork } from "./rescue.ts";
import { runAgent, sessionEnv, skipAgent } from "./run-agent.ts";
import { putStaleLocksAside } from "./stale-git-locks.ts";
import { stateLine } from "./state-line.ts";
import type { SessionContext, SessionInput, SessionPorts } from "./session-ports.ts";
import { gitRemarks, listCommits, readWorkState } from "./work-state.ts";

type Step = (ports: SessionPorts, input: SessionInput) => ListrTask<SessionContext>;
type Skip = { isSkipped?: (ports: SessionPorts) => boolean };

/** Steps that only prepare the agent's work: it does not begin any more once a stop was asked for. */
const BEFORE_AGENT: Skip = { isSkipped: ({ stop }) => stop.asked.aborted };

type Shown = Pick<ListrTaskWrapper<SessionContext, never, never>, "title" | "output">;

type Run = (
  ports: SessionPorts,
  input: SessionInput,
  context: SessionContext,
  task: Shown,
) => void | Promise<void>;

const step = (title: string, run: Run, { isSkipped = () => false }: Skip = {}): Step => {
  return (ports, input) => ({
    title,
    skip: () => isSkipped(ports) && `${title}: not any more, a stop was asked for`,
    task: async (context, task) => {
      ports.onProgress(input.record);
      await run(ports, input, context, task);
    },
    rendererOptions: { outputBar: 1 },
  });
};

const checkHealth = (ports: SessionPorts, input: SessionInput, signal: AbortSignal) =>
  runHealth(
    { clock: ports.clock, env: sessionEnv(ports, input), signal },
    { dir: input.state.dir, timeoutMs: input.state.limits.gateMinutes * 60_000 },
  );

const gateEvent = ({ record, report }: HealthReport) => ({
  ...record,
  ...(record.verdict === "blocked" ? { firstError: firstErrorLine(report) } : {}),
});

const reap = step("End what an earlier session left running", async ({ clock, git, log }, input, _, task) => {
  const ended = await Promise.all(input.oldMarks.map((mark) => endMarked(mark, { clock })));
  const pids = ended.flatMap((one) => one.ended.map(({ pid }) => pid));
  task.title =
    pids.length === 0 ? "Nothing left running" : `Ended ${pids.length} processes of an earlier session`;
  if (pids.length > 0) log.line(`reaped ${pids.length} processes of an earlier session: ${pids.join(" ")}`);
  const earlier = input.state.sessions.filter(({ number }) => number < input.record.number).slice(-3);
  if (earlier.length === 0) return;
  const sinceMs = Math.min(...earlier.map(({ startedAt }) => Date.parse(startedAt)));
  for (const lock of await putStaleLocksAside(git, { sinceMs }))
    log.line(`put aside a lock that a killed git left: ${lock}`);
});

const rescue = step("Save uncommitted work", async ({ git, log }, { state, record }, context, task) => {
  context.before = await readWorkState(git, state.dir);
  const { git: found } = context.before;
  context.rescue = found
    ? await rescueWork(git, { state: found, worker: state.name, session: record.number })
    : undefined;
  task.title = describeRescue(context.rescue);
  if (context.before.problem !== undefined)
    log.line(`git cannot say what is uncommitted: ${context.before.problem}`);
  const { saved, leftOut, unsaved } = context.rescue ?? NOTHING_SAVED;
  if (saved.length + leftOut.length + unsaved.length === 0) return;
  if (saved[0]) record.rescueRef = saved[0].ref;
  log.line(task.title);
  log.event("rescue", { session: record.number, ref: saved[0]?.ref, ...context.rescue });
});

const checkBefore: Run = async (ports, input, context, task) => {
  const { knownHealth, record, state } = input;
  context.past = ports.recallPast({ state, handoffs: ports.files.handoffs });
  context.health =
    knownHealth?.mark === context.before.mark
      ? knownHealth.health
      : await checkHealth(ports, input, ports.stop.asked);
  if (ports.stop.asked.aborted) return; // cut short, or of no use any more
  record.gateBefore = context.health.record;
  task.title = `Gates: ${describeHealth(context.health)}`;
  ports.log.line(`gates before: ${describeHealth(context.health)}`);
  ports.log.event("gates", { session: record.number, when: "before", ...gateEvent(context.health) });
};

const recall: Run = async ({ fetch, memory: settings, log }, { state }, context, task) => {
  context.memory = settings
    ? await askMemory({ fetch }, settings, `Project: ${state.dir}. Task: ${state.task}`)
    : undefined;
  task.title = `Memory: ${describeMemory(context.memory)}`;
  log.line(`memory: ${describeMemory(context.memory)}`);
  log.event("memory", { ...(context.memory ?? { status: "off" }) });
};

const quote: Run = async ({ log }, _, context, task) => {
  const found = await context.past;
  task.title = `Past conversations: ${describePast(found)}`;
  log.line(`past conversations: ${describePast(found)}`);
  log.event("recall", {
    ...found,
    ...(found.status === "found" ? { memories: found.memories.map(({ source }) => source) } : {}),
  });
};

const compose: Run = async ({ handoffs, randomWord, recall, log }, input, context, task) => {
  const { state, record, previousHandoff } = input;
  const handoff = previousHandoff ? handoffs.get(previousHandoff.path) : undefined;
  const memory = context.memory?.status === "ok" ? context.memory.text : undefined;
  const quoted = quotePast(await context.past, {
    known: [state.task, handoff, memory].join("\n"),
    maxTokens: recall?.maxTokens ?? 0,
  });
  context.prompt = composePrompt({
    task: state.task,
    worker: state.name,
    session: record.number,
    max: state.max,
    contextPercent: state.limits.contextPercent,
    nonce: randomWord(),
    remarks: [...input.remarks, ...gitRemarks(context.before), ...rescueRemarks(context.rescue)],
    health: context.health,
    ...(handoff && previousHandoff ? { handoff: { ...previousHandoff, text: handoff } } : {}),
    ...(context.before.git ? { git: context.before.git } : {}),
    ...(memory === undefined ? {} : { memory }),
    ...(quoted === undefined ? {} : { past: quoted }),
  });
  task.title = `Prompt: ${context.prompt.length} characters`;
  log.event("prompt", { session: record.number, prompt: context.prompt });
};

const agent: Step = (ports, input) =>
  step(`${ports.driver.title} works`, async (_, __, context, task) => {
    if (ports.stop.asked.aborted) {
      skipAgent(ports, input, context);
      task.title = `${ports.driver.title}: not begun, a stop was asked for`;
      return;
    }
    await runAgent(
      {
        ...ports,
        onProgress: (record, progress) => {
          ports.onProgress(record, progress);
          if (progress) task.output = describeProgress(progress);
        },
      },
      input,
      context,
    );
    task.title = `${ports.driver.title}: ${context.result.endReason}${describeUsage(input.record)}`;
  })(ports, input);

const handoff = step("Handoff", async ({ git }, { state, record, previousHandoff }, context, task) => {
  context.after = await readWorkState(git, state.dir);
  record.commits = await listCommits(git, context.before, context.after);
  record.hasChanged = context.after.mark !== context.before.mark;
  if (context.before.git && previousHandoff && record.isCounted) {
    const heard = readAcknowledgement(context.result.progress.firstText, context.before.git);
    record.acknowledgement = heard.acknowledgement;
    if (heard.said !== undefined) record.acknowledged = heard.said;
  }
  if (context.after.git) record.handoffState = stateLine(context.after.git);
  const commits = record.commits.length === 1 ? "1 commit" : `${record.commits.length} commits`;
  task.title = `Work: ${record.hasChanged ? commits : "no change"}`;
});

/** DONE counts as the agent's last word, when it ended by itself or just as its context was full. */
const saysDone = ({ closing, result }: SessionContext): boolean =>
  closing?.kind === "done" &&
  result.progress.isTextLast &&
  (result.endReason === "handoff" || result.endReason === "context");

const verdict = step("Verdict", async (ports, input, context, task) => {
  const { record, state, previousHandoff: previous } = input;
  const { log, clock, files } = ports;
  const isDone = saysDone(context);
  if (isDone) {
    context.healthAfter = await checkHealth(ports, input, ports.stop.now);
    record.gateAfter = context.healthAfter.record;
    log.line(`gates after: ${describeHealth(context.healthAfter)}`);
    log.event("gates", { session: record.number, when: "after", ...gateEvent(context.healthAfter) });
  }
  record.endReason = isDone ? "done" : context.result.endReason;
  if (context.result.error !== undefined) record.error = redactSecrets(context.result.error);
  if (record.endReason === "rate-limit") record.isCounted = false;
  record.endedAt = new Date(clock.now()).toISOString();
  const text = renderHandoff({
    worker: state.name,
    session: record.number,
    endReason: record.endReason,
    at: record.endedAt,
    conversationId: record.conversationId,
    git: context.after.git,
    problem: context.after.problem,
    commits: record.commits,
    gate: record.gateAfter ?? record.gateBefore,
    rescue: context.rescue,
    note:
      context.note ?? (context.closing?.kind === "handoff" ? context.closing.note : context.closing?.summary),
    texts: context.result.progress.texts,
    previous: previous ? { session: previous.session, text: ports.handoffs.get(previous.path) } : undefined,
  });
  record.handoffFile = handoffFile(files, record.number);
  ports.handoffs.put(record.handoffFile, text);
  const health = context.healthAfter ? `, gates ${describeHealth(context.healthAfter)}` : "";
  task.title = `Session ${record.number} ended: ${record.endReason}${health}`;
  log.line(`session ${record.number} ended: ${record.endReason}; handoff ${record.handoffFile}`);
  log.event("session-end", { ...record });
});

/** The steps of a session, in their order. */
export const SESSION_STEPS: readonly Step[] = [
  reap,
  rescue,
  step("Gates", checkBefore, BEFORE_AGENT),
  step("Memory", recall, BEFORE_AGENT),
  step("Past conversations", quote, BEFORE_AGENT),
  step("Prompt", compose, BEFORE_AGENT),
  agent,
  handoff,
  verdict,
];
