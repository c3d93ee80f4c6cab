import { orAfter } from "../core/clock.ts";
import { AppError, errorText, systemCode } from "../core/errors.ts";
import type { WorkerState } from "../worker/state/worker-state.ts";
import type { Claim, RunEnd, RunNote, JobProgress } from "../queue/job.ts";
import { packState } from "./carry-state.ts";
import { type ToldResult, resultOf } from "./decide-result.ts";
import type { HeldLease } from "./held-lease.ts";
import type { PreparedRun, Result, Work } from "./machine.ts";
import { runName } from "./plan-run.ts";
import type { PoolPorts, PoolSettings } from "./pool-ports.ts";
import { progressOf } from "./progress.ts";

/** Why a run is asked to stop before its worker is done. */
export type StopWish = { why: "cancel" | "drain"; isNow: boolean };

/** What is to be done when a run is over; `lost` is told nobody, because somebody else may have it. */
export type RunOutcome =
  | { kind: "lost"; reason: string }
  | { kind: "tell"; told: ToldResult; note: RunNote; tidy?: () => Promise<void> }
  | { kind: "publish"; end: RunEnd; note: RunNote; result: Result; state: WorkerState };

/** A supervisor that lost its lease ends itself; this is how long it may take. */
const LAST_MOMENT_MS = 2_000;
/** What a run has left running may take this long to end by itself. */
const LAST_WORDS_MS = 500;
/** How long a push may take that nobody waits for: a task that has not ended well. */
const LAST_PUSH_MS = 60_000;
const HURRIED_PUSH_MS = 5_000;

/** What the system refused (a disk, a table of processes) may pass; anything else is a bug. */
const asFailure = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  if (systemCode(error) === undefined) throw error;
  return new AppError("unavailable", errorText(error), { cause: error });
};

const countEnded = ({ sessions }: WorkerState): number =>
  sessions.filter(({ endedAt }) => endedAt !== undefined).length;

/** One run of a task: its place is prepared (until a deadline), then its supervisor works (while it shows signs of life). */
export class Run {
  readonly claim: Claim;
  readonly name: string;
  readonly held: HeldLease;
  readonly #ports: PoolPorts;
  readonly #settings: PoolSettings;
  readonly #lost = new AbortController();
  /** aborted when its place shall not be prepared any further; its reason says why */
  readonly #unprepared = new AbortController();
  readonly #hurry = new AbortController();
  readonly #stall: ReturnType<typeof createStall>;
  #work: Work | undefined;
  #state: WorkerState | undefined;
  #wish: StopWish | undefined;
  #hung: string | undefined;
  #isStarting = false;

  constructor(ports: PoolPorts, settings: PoolSettings, { claim, held }: { claim: Claim; held: HeldLease }) {
    this.#ports = ports;
    this.#settings = settings;
    this.#stall = createStall(ports.clock.elapsed, settings.patienceMs);
    this.claim = claim;
    this.held = held;
    this.name = runName(claim.task, ports.store.id);
  }

  /** aborted when the lease is lost; its reason says why */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get progress(): JobProgress | undefined {
    return this.#state && progressOf(this.#state);
  }

  /** Whether it gets on: only then its lease is renewed. One that hangs is ended. */
  isAlive(): boolean {
    if (!this.#work) return !this.#unprepared.signal.aborted;
    if (!this.#stall.isStalled(this.#work.heartbeat())) return true;
    if (this.#hung === undefined) {
      this.#hung = `its supervisor gave no sign of life for ${this.#settings.patienceMs / 1000} s`;
      void this.end(0);
    }
    return false;
  }

  /** The lease was renewed: the supervisor may go on for as long. */
  renewed(askedAt: number): void {
    this.held.renewed(askedAt);
    this.#work?.renew(this.held.until);
  }

  /** The lease is somebody else's, or cannot be renewed: everything of this run ends at once. */
  lose(reason: string): void {
    if (this.lost.aborted) return;
    this.#lost.abort(reason);
    this.#work?.cut();
    void this.end(LAST_MOMENT_MS);
  }

  /** Ends every process of the run, its supervisor included. */
  async end(graceMs: number): Promise<void> {
    try {
      await this.#ports.machine.endRun(this.claim.lease, graceMs);
    } catch (error) {
      this.#tell("problem", `its processes could not be looked for: ${String(error)}`);
    }
  }

  stop(wish: StopWish): void {
    this.#unprepared.abort();
    if (this.#wish && (this.#wish.isNow || !wish.isNow)) return;
    this.#wish = this.#wish ? { why: this.#wish.why, isNow: true } : wish;
    this.#work?.stop(wish.isNow);
    if (wish.isNow) void this.#ports.clock.sleep(HURRIED_PUSH_MS, this.lost).then(() => this.#hurry.abort());
  }

  /** Nothing is lost with a place that is not ready: it is given back at once. */
  stopPreparing(wish: StopWish): void {
    if (!this.#work && !this.#isStarting) this.stop(wish);
  }

  /** Runs to the end of the worker. Rejects only for what is a bug. */
  async run(): Promise<RunOutcome> {
    try {
      // What an earlier run of this task left on this machine must not work beside this one.
      await this.#ports.machine.endTask(this.claim.lease.task);
      return await this.#run(await this.#prepare());
    } catch (error) {
      if (this.lost.aborted) return this.#outcomeOfLoss();
      const failure = asFailure(error);
      const told = resultOf({ error: failure, wish: this.#wish, isStarting: this.#isStarting });
      return { kind: "tell", told, note: { runName: this.name } };
    } finally {
      await this.end(this.lost.aborted ? 0 : LAST_WORDS_MS);
    }
  }

  #outcomeOfLoss(): RunOutcome {
    return { kind: "lost", reason: String(this.lost.reason) };
  }

  async #prepare(): Promise<PreparedRun> {
    const { clock, machine } = this.#ports;
    const { prepareMs } = this.#settings;
    const ready = new AbortController();
    void clock.sleep(prepareMs, ready.signal).then(() => {
      if (!ready.signal.aborted)
        this.#unprepared.abort(
          new AppError("timeout", `its place was not ready within ${prepareMs / 60_000} minutes`),
        );
    });
    const signal = AbortSignal.any([this.lost, this.#unprepared.signal]);
    try {
      return await machine.prepare(this.claim, signal);
    } catch (error) {
      const { reason } = this.#unprepared.signal as { reason: unknown };
      throw reason instanceof AppError ? reason : error;
    } finally {
      ready.abort();
    }
  }

  async #run(prepared: PreparedRun): Promise<RunOutcome> {
    const { store } = this.#ports;
    if (prepared.problem !== undefined) this.#tell("problem", prepared.problem);
    if (prepared.unreported) return this.#conclude(prepared.unreported, prepared.result);
    if (this.lost.aborted) return this.#outcomeOfLoss();
    if (this.#wish)
      return { kind: "tell", told: resultOf({ wish: this.#wish }), note: { runName: this.name } };
    this.#isStarting = true;
    const work = await prepared.start(this.held.until);
    this.#work = work;
    work.renew(this.held.until);
    if (this.lost.aborted) work.cut();
    this.#wishAgain();
    this.#state = work.state();
    const before = countEnded(this.#state);
    const how = prepared.isResumed ? "goes on with" : "works on";
    this.#tell("working", `${this.name} ${how} it in ${this.#state.dir}`);
    // Only told: one that cannot be told now works all the same, and a lost lease is noticed by its renewal.
    await store.beginWork(this.claim.lease).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
    await this.#watch(work, prepared.result, before);
    // The agent of a supervisor that was killed works on: what it does now would be in no result, and go with its tree.
    await this.end(LAST_WORDS_MS);
    if (this.lost.aborted) return this.#outcomeOfLoss();
    this.#state = work.state();
    return this.#conclude(this.#state, prepared.result);
  }

  #wishAgain(): void {
    const wish = this.#wish;
    if (wish) this.#work?.stop(wish.isNow);
  }

  /** Follows the worker until its supervisor is gone, and reports each session that has ended. */
  async #watch(work: Work, result: Result, before: number): Promise<void> {
    const { clock } = this.#ports;
    const gone = new AbortController();
    void work.exited.then(() => gone.abort());
    let reported = before;
    // One that cannot be killed holds no slot for ever: its lease is not renewed.
    const until = AbortSignal.any([gone.signal, this.lost]);
    while (!until.aborted) {
      await clock.sleep(this.#settings.lookMs, until);
      this.#state = work.state();
      const ended = countEnded(this.#state);
      if (until.aborted || ended <= reported) continue;
      reported = ended;
      await this.#reportSession(this.#state, result, until);
    }
    if (this.lost.aborted) await orAfter(clock, work.exited, LAST_MOMENT_MS);
  }

  async #reportSession(state: WorkerState, result: Result, until: AbortSignal): Promise<void> {
    const last = state.sessions.findLast(({ endedAt }) => endedAt !== undefined);
    this.#tell("session", `session ${last?.number ?? "?"} of ${state.max} ended: ${last?.endReason ?? "?"}`);
    try {
      const { problem: _, ...note } = await this.#publish(state, result, until);
      await this.#ports.store.note(this.claim.lease, note);
    } catch (error) {
      // A lost lease is noticed by its renewal; what cannot be reported now is reported with the next one.
      if (!(error instanceof AppError)) throw error;
      this.#tell("problem", error.message);
    }
  }

  async #publish(
    state: WorkerState,
    result: Result,
    signal: AbortSignal,
  ): Promise<RunNote & { problem?: string }> {
    const published = await result.publish(state, signal);
    if (published.problem !== undefined && !signal.aborted) this.#tell("problem", published.problem);
    return { ...this.#noteOf(state), ...published };
  }

  #noteOf(state: WorkerState): RunNote {
    return { runName: this.name, progress: progressOf(state), ...packState(state) };
  }

  async #conclude(state: WorkerState, result: Result): Promise<RunOutcome> {
    const told = resultOf({ state, wish: this.#wish, hung: this.#hung });
    const isDone = told.kind === "end" && ["complete", "unverified"].includes(told.state);
    if (told.kind === "end" && isDone && result.isLocal)
      return { kind: "publish", end: told, note: this.#noteOf(state), result, state };
    const late = new AbortController();
    const done = new AbortController();
    void this.#ports.clock.sleep(LAST_PUSH_MS, done.signal).then(() => late.abort());
    const until = AbortSignal.any([this.lost, late.signal, this.#hurry.signal]);
    const { problem, ...note } = await this.#publish(state, result, until);
    done.abort();
    const kept =
      problem === undefined ? "" : `; its work stays in its tree on the host that did it: ${problem}`;
    return {
      kind: "tell",
      told: told.kind === "end" ? { ...told, reason: `${told.reason}${kept}` } : told,
      note,
      tidy: result.tidy,
    };
  }

  #tell(type: "working" | "session" | "problem", message: string): void {
    this.#ports.tell({ type, task: this.claim.lease.task, worker: this.name, message });
  }
}

/** Notices when a sign of life stays the same for longer than `patienceMs`, the machine's sleep not counted. */
const createStall = (elapsedMs: () => number, patienceMs: number) => {
  let last: number | undefined;
  let since = elapsedMs();
  return {
    isStalled: (sign: number): boolean => {
      if (sign !== last) {
        last = sign;
        since = elapsedMs();
      }
      return elapsedMs() - since > patienceMs;
    },
  };
};
