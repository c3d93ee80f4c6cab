import { withoutUndefined } from "../../core/without-undefined.ts";
import { plural } from "../../core/plural.ts";
import { isInterruption } from "../../core/errors.ts";
import { gitUntil } from "../../core/git.ts";
import { isPassing, isPassingText } from "../../core/passing-failure.ts";
import { decideWord } from "../../verdict/decide-word.ts";
import type { Reason, Verdict } from "../../verdict/verdict.ts";
import { redactSecrets } from "../../core/redaction.ts";
import { handoffFile } from "../state/worker-files.ts";
import type { SessionRecord } from "../state/worker-state.ts";
import { describeHealth } from "./describe.ts";
import { readAcknowledgement, renderHandoff, stateLine } from "./handoff.ts";
import type { HealthReport } from "./health.ts";
import { keepVerdict } from "./keep-verdict.ts";
import { findTreeFault } from "./tree-fault.ts";
import { judgeWork } from "./judge-work.ts";
import type { Saved } from "./prepare-session.ts";
import type { Ran } from "./run-agent.ts";
import { type SessionInput, type SessionOutcome, type SessionPorts, patience } from "./session-ports.ts";
import type { Shown } from "./show-steps.ts";
import { tryAgain } from "./try-again.ts";
import { type WorkState, listCommits, readWorkState } from "./work-state.ts";

/** What a look at the work may take once the end is asked for at once. */
const HURRIED_MS = 10_000;

/** How the work stands now. Whatever keeps git from telling is said in the answer: the session has been. */
export const readWork = async (
  ports: SessionPorts,
  { state, workTree }: SessionInput,
): Promise<WorkState> => {
  const { now } = ports.stop;
  const where = { dir: state.dir, workTree };
  const orUnknown = (error: unknown): WorkState => {
    if (!isInterruption(error) && !isPassing(error)) throw error;
    return { git: undefined, mark: "unknown", problem: (error as Error).message };
  };
  const read = tryAgain(patience(ports, state, now), () => readWorkState(gitUntil(ports.git, now), where));
  return read
    .catch((error: unknown) => {
      if (!now.aborted) throw error;
      return readWorkState(gitUntil(ports.git, AbortSignal.timeout(HURRIED_MS)), where);
    })
    .catch(orUnknown);
};

/** What changed between two looks at the work. */
export type Work = { after: WorkState; commits: string[]; hasChanged: boolean };

export const compareWork = async (
  { git }: SessionPorts,
  before: WorkState | undefined,
  after: WorkState,
): Promise<Work> => ({
  after,
  commits: before ? await listCommits(git, before, after).catch(() => []) : [],
  hasChanged: before !== undefined && after.mark !== "unknown" && after.mark !== before.mark,
});

export const describeWork = ({ hasChanged, commits }: Work): string =>
  `Work: ${hasChanged ? plural(commits.length, "commit") : "no change"}`;

/** DONE counts as the agent's last word, when it ended by itself or just as its context was full. */
const saysDone = ({ closing, result }: Ran): boolean =>
  closing?.kind === "done" &&
  result.progress.isTextLast &&
  (result.endReason === "handoff" || result.endReason === "context");

/** Everything that a session's record is made of at its end. */
type Facts = {
  ran: Ran;
  saved: Saved | undefined;
  work: Work;
  health: HealthReport | undefined;
  isDone: boolean;
};

/** The last word on a session: the gates where it says DONE, the work as it stands after them, its handoff. */
export const closeSession = async (
  ports: SessionPorts,
  input: SessionInput,
  { ran, saved, work: tested }: Pick<Facts, "ran" | "saved" | "work">,
  step: Shown,
): Promise<Omit<SessionOutcome, "memory">> => {
  const { log } = ports;
  const isClaimed = saysDone(ran);
  let record = ran.record;
  const onReviewSpent = (reviewCostUsd: number): void => {
    record = { ...record, reviewCostUsd };
    ports.onProgress(record);
  };
  const judged = isClaimed
    ? await judgeWork(ports, { ...input, record }, { step, onReviewSpent })
    : undefined;
  const health = judged?.health;
  const work = judged ? await compareWork(ports, saved?.before, await readWork(ports, input)) : tested;
  const facts: Facts = { ran: { ...ran, record }, saved, work, health, isDone: judged !== undefined };
  const closed = closeRecord(input, facts, new Date(ports.clock.now()).toISOString());
  const verdict =
    judged?.verdict && afterSecondLook(input, judged.verdict, { tested: tested.after, now: work.after });
  const kept =
    verdict &&
    input.seal &&
    (await keepVerdict(ports, { ...input, record: closed, seal: input.seal, verdict }));
  const path = handoffFile(ports.files, closed.number);
  const final: SessionRecord = {
    ...closed,
    ...(isClaimed && !judged ? { endReason: "stopped" } : kept ? { verdict: kept } : {}),
    handoffFile: path,
  };
  ports.handoffs.put(path, writeHandoff(ports, input, { ...facts, record: final }));
  const shown = verdict?.word ?? (health ? `gates ${describeHealth(health)}` : "");
  step.title = `Session ${final.number} ended: ${final.endReason}${shown === "" ? "" : `, ${shown}`}`;
  log.line(`session ${final.number} ended: ${final.endReason}; handoff ${path}`);
  log.event("session-end", { ...final });
  return {
    record: final,
    closing: ran.closing,
    result: ran.result,
    healthAfter: health,
    verdict,
    workTested: judged ? tested.after : undefined,
    workAfter: work.after,
    rescue: saved?.rescue,
  };
};

/** The verdict with what the project's own tree was found to be after it. */
const afterSecondLook = (
  { state }: SessionInput,
  verdict: Verdict,
  looks: { tested: WorkState; now: WorkState },
): Verdict => {
  const message = findTreeFault(state.done, looks);
  if (message === undefined) return verdict;
  const reasons: Reason[] = [...verdict.reasons, { kind: "tree", weight: "refused", message }];
  return { ...verdict, word: decideWord(reasons), reasons };
};

/** The record of a session that is over: a plain function of what was found out. */
const closeRecord = (
  { previousHandoff }: SessionInput,
  { ran, saved, work, health, isDone }: Facts,
  endedAt: string,
): SessionRecord => {
  const { doing: _, ...record } = ran.record;
  const { result } = ran;
  const heard =
    saved?.before.git && previousHandoff && record.isCounted
      ? readAcknowledgement(result.progress.firstText, saved.before.git)
      : undefined;
  return {
    ...record,
    commits: work.commits,
    hasChanged: work.hasChanged,
    endReason: isDone ? "done" : result.endReason,
    endedAt,
    isCounted: record.isCounted && !isUnused(ran, work),
    ...withoutUndefined({
      gateAfter: health?.record,
      acknowledgement: heard?.acknowledgement,
      acknowledged: heard?.said,
      handoffState: work.after.git && stateLine(work.after.git),
      error: result.error === undefined ? undefined : redactSecrets(result.error),
    }),
  };
};

/** A rate limit, or an outage before the agent came to anything, takes no session from the worker. */
const isUnused = ({ result }: Ran, { hasChanged }: Work): boolean =>
  result.endReason === "rate-limit" ||
  (result.endReason === "error" &&
    isPassingText(result.error ?? "") &&
    !hasChanged &&
    result.progress.contextTokens === undefined);

const writeHandoff = (
  { driver, handoffs }: SessionPorts,
  { state, previousHandoff: previous }: SessionInput,
  { ran, saved, work, record }: Facts & { record: SessionRecord },
): string => {
  const { closing, note, result } = ran;
  return renderHandoff({
    worker: state.name,
    session: record.number,
    agent: record.model === undefined ? driver.title : `${driver.title} (${record.model})`,
    endReason: record.endReason ?? result.endReason,
    at: record.endedAt ?? "",
    conversationId: record.conversationId,
    git: work.after.git,
    problem: work.after.problem,
    commits: work.commits,
    gate: record.gateAfter ?? record.gateBefore,
    rescue: saved?.rescue,
    note: note ?? (closing?.kind === "handoff" ? closing.note : closing?.summary),
    tools: result.progress.tools,
    texts: result.progress.texts,
    previous: previous ? { session: previous.session, text: handoffs.get(previous.path) } : undefined,
  });
};
