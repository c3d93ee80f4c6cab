import type { ListrTask, ListrTaskWrapper } from "listr2";
import { endMarked } from "../../core/process-tree.ts";
import { handoffFile } from "../worker/worker-files.ts";
import { askMemory } from "./memory-client.ts";
import { composePrompt } from "./compose-prompt.ts";
import { describeHealth, describeMemory, describePast, describeProgress, describeUsage } from "./describe.ts";
import { NOTHING_SAVED, describeRescue, rescueRemarks } from "./describe-rescue.ts";
import { readAcknowledgement, renderHandoff } from "./handoff.ts";
import { type HealthReport, firstErrorLine, runHealth } from "./health.ts";
import { quotePast } from "./past-conversations.ts";
import { rescueWork } from "./rescue.ts";
import { runAgent, sessionEnv } from "./run-agent.ts";
import { putStaleLocksAside } from "./stale-git-locks.ts";
import { stateLine } from "./state-line.ts";
import type { SessionContext, SessionInput, SessionPorts } from "./session-ports.ts";
import { listCommits, readWorkState } from "./work-state.ts";

type Step = (ports: SessionPorts, input: SessionInput) => ListrTask<SessionContext>;
type Shown = Pick<ListrTaskWrapper<SessionContext, never, never>, "title" | "output">;

const step = (
  title: string,
  run: (ports: SessionPorts, input: SessionInput, context: SessionContext, task: Shown) => Promise<void>,
): Step => {
  return (ports, input) => ({
    title,
    task: async (context, task) => {
      ports.onProgress(input.record);
      await run(ports, input, context, task);
    },
    rendererOptions: { outputBar: 1 },
  });
};

const checkHealth = (ports: SessionPorts, input: SessionInput) =>
  runHealth(
    { clock: ports.clock, env: sessionEnv(ports, input) },
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
  const { saved, leftOut, unsaved } = context.rescue ?? NOTHING_SAVED;
  if (saved.length + leftOut.length + unsaved.length === 0) return;
  if (saved[0]) record.rescueRef = saved[0].ref;
  log.line(task.title);
  log.event("rescue", { session: record.number, ref: saved[0]?.ref, ...context.rescue });
});

const gates = step("Gates", async (ports, input, context, task) => {
  const { knownHealth, record, state } = input;
  context.past = ports.recallPast({ state, handoffs: ports.files.handoffs });
  context.health =
    knownHealth?.mark === context.before.mark ? knownHealth.health : await checkHealth(ports, input);
  record.gateBefore = context.health.record;
  task.title = `Gates: ${describeHealth(context.health)}`;
  ports.log.line(`gates before: ${describeHealth(context.health)}`);
  ports.log.event("gates", { session: record.number, when: "before", ...gateEvent(context.health) });
});

const memory = step("Memory", async ({ fetch, memory: settings, log }, { state }, context, task) => {
  context.memory = settings
    ? await askMemory({ fetch }, settings, `Project: ${state.dir}. Task: ${state.task}`)
    : undefined;
  task.title = `Memory: ${describeMemory(context.memory)}`;
  log.line(`memory: ${describeMemory(context.memory)}`);
  log.event("memory", { ...(context.memory ?? { status: "off" }) });
});

const past = step("Past conversations", async ({ log }, _, context, task) => {
  const found = await context.past;
  task.title = `Past conversations: ${describePast(found)}`;
  log.line(`past conversations: ${describePast(found)}`);
  log.event("recall", {
    ...found,
    ...(found.status === "found" ? { memories: found.memories.map(({ source }) => source) } : {}),
  });
});

const prompt = step("Prompt", async ({ handoffs, randomWord, recall, log }, input, context, task) => {
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
    remarks: [...input.remarks, ...rescueRemarks(context.rescue)],
    health: context.health,
    ...(handoff && previousHandoff ? { handoff: { ...previousHandoff, text: handoff } } : {}),
    ...(context.before.git ? { git: context.before.git } : {}),
    ...(memory === undefined ? {} : { memory }),
    ...(quoted === undefined ? {} : { past: quoted }),
  });
  task.title = `Prompt: ${context.prompt.length} characters`;
  log.event("prompt", { session: record.number, prompt: context.prompt });
});

const agent: Step = (ports, input) =>
  step(`${ports.driver.title} works`, async (_, __, context, task) => {
    await runAgent(
      {
        ...ports,
        onProgress: (record, progress) => {
          ports.onProgress(record, progress);
          if (progress) task.output = describeProgress(progress, ports.settings);
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
  if (context.before.git && previousHandoff) {
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
  const { record, state } = input;
  const { log, clock, files } = ports;
  const isDone = saysDone(context);
  if (isDone) {
    context.healthAfter = await checkHealth(ports, input);
    record.gateAfter = context.healthAfter.record;
    log.line(`gates after: ${describeHealth(context.healthAfter)}`);
    log.event("gates", { session: record.number, when: "after", ...gateEvent(context.healthAfter) });
  }
  record.endReason = isDone ? "done" : context.result.endReason;
  if (context.result.error !== undefined) record.error = context.result.error;
  record.isCounted = record.endReason !== "rate-limit";
  record.endedAt = new Date(clock.now()).toISOString();
  const text = renderHandoff({
    worker: state.name,
    session: record.number,
    endReason: record.endReason,
    at: record.endedAt,
    conversationId: record.conversationId,
    git: context.after.git,
    commits: record.commits,
    gate: record.gateAfter ?? record.gateBefore,
    rescue: context.rescue,
    note:
      context.note ?? (context.closing?.kind === "handoff" ? context.closing.note : context.closing?.summary),
    texts: context.result.progress.texts,
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
  gates,
  memory,
  past,
  prompt,
  agent,
  handoff,
  verdict,
];
