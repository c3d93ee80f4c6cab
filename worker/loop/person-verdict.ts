import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { isInSession } from "../../core/config/code-decision.ts";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { tryLock } from "../../core/file-lock.ts";
import { createGit } from "../../core/git.ts";
import { describeHolder } from "../../core/lock-owner.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { shortReasons } from "../../verdict/describe-verdict.ts";
import { openEnvelope } from "../../verdict/receipt/envelope.ts";
import { findOwnKey } from "../../verdict/receipt/keys.ts";
import { ACCEPTED, acceptStatement, isStatement } from "../../verdict/receipt/statement.ts";
import { noteReceipt, writeReceipt } from "../../verdict/receipt/write-receipt.ts";
import { findSeal } from "../../verdict/seal/seal.ts";
import type { Verdict } from "../../verdict/verdict.ts";
import { judge } from "../../verdict/judge.ts";
import { runGatesOf } from "../session/judge-work.ts";
import { confineWith } from "../session/side-sandboxes.ts";
import { keepVerdict } from "../session/keep-verdict.ts";
import { saveState } from "../state/save-state.ts";
import { workerFiles } from "../state/worker-files.ts";
import type { VerdictRecord, WorkerState } from "../state/worker-state.ts";
import { findState } from "../state/worker-store.ts";
import { agentEnv } from "./agent-env.ts";
import { createSandboxKeeper } from "./sandbox-keeper.ts";
import type { StartRequest } from "./start-request.ts";

type Ports = {
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  home: string;
  signal: AbortSignal;
  /** told each step */
  note: (line: string) => void;
};

/** Changes the state of a worker that is not running, as its supervisor would. */
const withState = async <T>(
  { home, env }: Pick<Ports, "home" | "env">,
  name: string,
  change: (state: WorkerState) => Promise<{ state: WorkerState; answer: T }>,
): Promise<T> => {
  if (isInSession(env))
    throw new AppError(
      "forbidden",
      "a session does not judge its own work; that is for a person, or for the next DONE",
    );
  const files = workerFiles(home, name);
  const { lock, holder } = tryLock(files.supervisorLock, { label: `verdict of worker "${name}"` });
  if (!lock)
    throw new AppError(
      "locked",
      `worker ${name} is running: ${describeHolder(holder)}; stop it with: worker stop ${name}`,
    );
  try {
    const found = findState(home, name);
    if (!found) throw new AppError("not-found", `no worker ${name}; see: worker list`);
    const { state, answer } = await change(found);
    saveState(home, state);
    return answer;
  } finally {
    lock.release();
  }
};

/**
 * Judges the commit that a worker left, again and at any time; its state says what came of it.
 * @throws AppError `conflict` where nothing was sealed or there is no commit
 */
export const verifyWorker = (
  ports: Ports,
  name: string,
  /** of its sessions: they hold for its code here, too */
  planSettings: (state: WorkerState) => Promise<Pick<StartRequest, "sandbox" | "agents">>,
): Promise<VerdictRecord> =>
  withState(ports, name, async (state) => {
    const { env, clock, home, signal, note } = ports;
    const files = workerFiles(home, name);
    const seal = findSeal(files.seal);
    if (!seal || !existsSync(state.dir))
      throw new AppError(
        "conflict",
        `worker ${name} has nothing to judge: ${seal ? `${state.dir} is gone` : "nothing was sealed when it was started"}`,
      );
    const git = createGit(state.dir, env);
    const request = { ...(await planSettings(state)), name: state.name, dir: state.dir };
    const log = { line: note, event: tellRefused(note) };
    const { aside } = createSandboxKeeper({ env, fetch, log, files }, request);
    const judged = await judge(
      {
        env: agentEnv(env),
        git,
        clock,
        signal,
        confine: confineWith(aside(state.session), request.agents[state.agent]?.env ?? {}),
        runGates: (asked) => runGatesOf({ clock }, asked),
        onStep: note,
      },
      {
        dir: state.dir,
        gatesRoot: seal.gatesRoot,
        seal,
        task: state.task,
        gateTimeoutMs: state.limits.gateMinutes * 60_000,
      },
    );
    if (!judged) throw new AppError("conflict", `${state.dir} has no commit to judge`);
    const record = await keepVerdict({ env, git, files, log }, { state, seal, verdict: judged.verdict });
    return { state: { ...state, ...statusOf(state, judged.verdict), verdict: record }, answer: record };
  });

/** Who was called and refused, while it is judged; the rest is the log's. */
const tellRefused =
  (note: Ports["note"]) =>
  (_: string, { host, port, verdict, reason }: Record<string, unknown> = {}): void => {
    if (verdict !== "allowed") note(`${String(verdict)}: ${String(host)}:${String(port)}, ${String(reason)}`);
  };

/** A worker that went on for another reason than its DONE keeps its status, unless that was `complete`. */
const statusOf = (
  state: WorkerState,
  { word, reasons }: Pick<Verdict, "word" | "reasons">,
): Partial<Pick<WorkerState, "status" | "stopReason">> => {
  if (word === "complete") return { status: "complete", stopReason: "judged again: the gates are healthy" };
  if (word === "refused" && state.status !== "complete") return {};
  return { status: "unverified", stopReason: `judged again: ${shortReasons(reasons)}` };
};

/**
 * A person's word over the last verdict of a worker: it is complete, and the receipt says by whose word.
 * @throws AppError `conflict` where no DONE was judged, or HEAD has moved since
 */
export const acceptWorker = (
  ports: Ports,
  name: string,
  reason: string | undefined,
): Promise<VerdictRecord> =>
  withState(ports, name, async (state) => {
    const { env, clock, home, note } = ports;
    const { verdict } = state;
    if (!verdict?.head || verdict.receipt === undefined)
      throw new AppError(
        "conflict",
        `no DONE of worker ${name} was judged yet; judge its work with: worker verify ${name}`,
      );
    const git = createGit(state.dir, env);
    const head = (await git.find(["rev-parse", "--verify", "--quiet", "HEAD"]))?.trim();
    if (head !== verdict.head)
      throw new AppError(
        "conflict",
        `the verdict is about ${verdict.head.slice(0, 12)}, and ${state.dir} is at ${head?.slice(0, 12) ?? "no commit"} now; judge that with: worker verify ${name}`,
      );
    const key = findOwnKey(env);
    const { statement, faults } = openEnvelope(readFileIfThere(verdict.receipt) ?? "", key ? [key] : []);
    if (faults.length > 0 || !isStatement(statement))
      throw new AppError(
        "bad-data",
        `${verdict.receipt} is not as it was written (${faults.join("; ")}); judge again: worker verify ${name}`,
      );
    const acceptance = {
      by: userInfo().username,
      at: new Date(clock.now()).toISOString(),
      ...(reason === undefined ? {} : { reason }),
    };
    const accepted = acceptStatement(statement, acceptance);
    const { path, text } = writeReceipt(env, workerFiles(home, name).receipts, accepted);
    const why = reason === undefined ? "" : `: ${reason.split("\n")[0]}`;
    const line = `Nightshift: ${ACCEPTED} by ${acceptance.by}${why}`;
    await noteReceipt(git, { commit: head, line, text }).catch((error: unknown) =>
      note(`the commit got no note: ${String(error)}`),
    );
    const record: VerdictRecord = { ...verdict, accepted: acceptance, receipt: path };
    const stopReason = `accepted by ${acceptance.by}${why}`;
    return { state: { ...state, status: "complete", stopReason, verdict: record }, answer: record };
  });
