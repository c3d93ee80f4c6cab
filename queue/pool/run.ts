import { AppError, errorText } from "../../core/errors.ts";
import type { Environment } from "../../core/paths.ts";
import { endMarked } from "../../core/process-tree.ts";
import { sendControl } from "../../worker/state/control.ts";
import { type LeaseTag, leaseLine, runMark, taskMark } from "../../worker/state/lease.ts";
import { type LeasedSupervisor, spawnLeasedSupervisor } from "../../worker/start/spawn-supervisor.ts";
import { workerFiles } from "../../worker/state/worker-files.ts";
import type { WorkerState } from "../../worker/state/worker-state.ts";
import { findState } from "../../worker/state/worker-store.ts";
import { type RunNote, noteRun } from "../hold-lease.ts";
import type { Claim, TaskProgress } from "../task.ts";
import { findOwnRun, packState, takeOver } from "./carry-state.ts";
import { type RunResult, resultOf } from "./decide-result.ts";
import type { HeldLease } from "./held-lease.ts";
import { planRun, runName } from "./plan-run.ts";
import type { PoolPorts, PoolSettings } from "./pool-ports.ts";
import { type Place, preparePlace } from "./prepare-place.ts";

const OURS = ["DATABASE_URL", "PGPASSWORD"];

/** The queue's database is no business of agents and gates: a project's own tests would run on it. */
const agentEnv = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OURS.includes(name)));

/** Why a run is asked to stop before its worker is done. */
export type StopWish = { why: "cancel" | "drain"; isNow: boolean };

const LOOK_EVERY_MS = 500;
/** A supervisor that lost its lease ends itself; this is how long it may take. */
const LAST_MOMENT_MS = 2_000;

/** One run of a task: from its lease to the result, which `resultOf` decides and the pool reports. */
export class Run {
  readonly claim: Claim;
  readonly name: string;
  readonly held: HeldLease;
  readonly #ports: PoolPorts;
  readonly #settings: PoolSettings;
  readonly #lost = new AbortController();
  #supervisor: LeasedSupervisor | undefined;
  #wish: StopWish | undefined;
  #isUp = false;
  #reported = 0;
  #state: WorkerState | undefined;

  constructor(ports: PoolPorts, settings: PoolSettings, { claim, held }: { claim: Claim; held: HeldLease }) {
    this.#ports = ports;
    this.#settings = settings;
    this.claim = claim;
    this.held = held;
    this.name = runName(claim.task, ports.queue.id);
  }

  /** aborted when the lease is lost; its reason says why */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get progress(): TaskProgress | undefined {
    const state = this.#state;
    if (!state) return undefined;
    const { status, session, max, context, costUsd, tokens } = state;
    return {
      status,
      session,
      max,
      ...(context?.percent === undefined ? {} : { contextPercent: context.percent }),
      costUsd,
      tokens,
    };
  }

  /** The lease was renewed: the supervisor may go on for as long. */
  renewed(): void {
    this.#supervisor?.line.write(leaseLine(this.held.leftMs()));
  }

  /** The lease is somebody else's, or cannot be renewed: everything of this run ends at once. */
  lose(reason: string): void {
    if (this.lost.aborted) return;
    this.#lost.abort(reason);
    this.#supervisor?.line.end();
    void this.end(LAST_MOMENT_MS);
  }

  /** Ends every process of the run, its supervisor included. */
  async end(graceMs: number): Promise<void> {
    const { clock, queue } = this.#ports;
    await endMarked(runMark(queue.id, this.claim.lease), { clock, graceMs });
  }

  stop(wish: StopWish): void {
    if (this.#wish && (this.#wish.isNow || !wish.isNow)) return;
    this.#wish = this.#wish ? { why: this.#wish.why, isNow: true } : wish;
    this.#sendWish();
  }

  /** Runs to the end of the worker. Rejects only for what is a bug. */
  async run(): Promise<RunResult> {
    const { clock, queue } = this.#ports;
    const { lease } = this.claim;
    try {
      // What an earlier run of this task left on this machine must not work beside this one.
      await endMarked(taskMark(queue.id, lease.task), { clock, graceMs: 0 });
      return await this.#work();
    } catch (error) {
      if (this.lost.aborted) return { kind: "lost", reason: String(this.lost.reason) };
      if (!(error instanceof AppError)) throw error;
      return resultOf({ error, wish: this.#wish });
    } finally {
      await this.end(this.lost.aborted ? 0 : 500);
    }
  }

  async #work(): Promise<RunResult> {
    const { workersHome, queue } = this.#ports;
    const { claim, name } = this;
    const before = runMark(queue.id, { task: claim.lease.task, token: claim.previousToken });
    const own = findOwnRun(workersHome, name, claim, before);
    const place = await preparePlace(this.#ports, { claim, name, isKept: own !== undefined }, this.lost);
    if (place.problem !== undefined) this.#tell("problem", place.problem);
    // It had ended, and only its report was cut off: nothing is done twice.
    const isUnreported = claim.task.attempts > 0 && ["complete", "unverified"].includes(own?.status ?? "");
    if (own && isUnreported) {
      this.#state = own;
      return this.#conclude(own, place);
    }
    if (this.#wish) return resultOf({ wish: this.#wish });
    const isResumed = own !== undefined || takeOver(workersHome, name, claim);
    const request = await planRun(
      this.#ports,
      { task: claim.task, name, place, isResumed },
      this.#leaseTag(),
    );
    this.#supervisor = spawnLeasedSupervisor({ env: agentEnv(this.#ports.env), home: workersHome }, request);
    this.renewed();
    if (this.lost.aborted) this.#supervisor.line.end();
    this.#state = await this.#supervisor.announced;
    this.#reported = this.#state.sessions.length;
    this.#isUp = true;
    this.#sendWish();
    const kind = isResumed ? "goes on with" : "works on";
    this.#tell("working", `${name} ${kind} it in ${this.#state.dir}`);
    await this.#watch(this.#supervisor, place);
    if (this.lost.aborted) return { kind: "lost", reason: String(this.lost.reason) };
    this.#state = findState(workersHome, name) ?? this.#state;
    return this.#conclude(this.#state, place);
  }

  #leaseTag(): LeaseTag & { firstMs: number } {
    const { queue } = this.#ports;
    const { host, name: pool } = this.#settings;
    const { lease } = this.claim;
    return { ...lease, host, pool, mark: runMark(queue.id, lease), firstMs: this.held.leftMs() };
  }

  /** Follows the state file until the supervisor is gone, and reports each session that has ended. */
  async #watch({ exited }: LeasedSupervisor, place: Place): Promise<void> {
    const { clock, workersHome } = this.#ports;
    const gone = new AbortController();
    void exited.then(() => gone.abort());
    while (!gone.signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, gone.signal);
      this.#state = findState(workersHome, this.name) ?? this.#state;
      const ended = this.#state?.sessions.filter(({ endedAt }) => endedAt !== undefined).length ?? 0;
      if (this.#state && ended > this.#reported && !gone.signal.aborted && !this.lost.aborted) {
        this.#reported = ended;
        await this.#reportSession(this.#state, place);
      }
    }
  }

  async #reportSession(state: WorkerState, place: Place): Promise<void> {
    const last = state.sessions.findLast(({ endedAt }) => endedAt !== undefined);
    this.#tell("session", `session ${last?.number ?? "?"} of ${state.max} ended: ${last?.endReason ?? "?"}`);
    try {
      await noteRun(this.#ports.queue, this.claim.lease, (await this.#publish(state, place)).note);
    } catch (error) {
      // A lost lease is noticed by its renewal; what cannot be reported now is reported with the next one.
      if (!(error instanceof AppError)) throw error;
      this.#tell("problem", error.message);
    }
  }

  async #publish(state: WorkerState, place: Place): Promise<{ note: RunNote; problem?: string }> {
    const { problem, ...published } = await place.publish(state.dir);
    const note = { runName: this.name, progress: this.progress, ...packState(state), ...published };
    if (problem === undefined) return { note };
    this.#tell("problem", problem);
    return { note, problem };
  }

  async #conclude(state: WorkerState, place: Place): Promise<RunResult> {
    const { note, problem } = await this.#publish(state, place);
    const result = resultOf({ state, wish: this.#wish, unpublished: problem });
    return { ...result, note, tidy: () => this.#tidy(place) };
  }

  async #tidy(place: Place): Promise<void> {
    await place
      .tidy()
      .catch((error: unknown) => this.#tell("problem", `could not tidy up: ${errorText(error)}`));
  }

  #sendWish(): void {
    const wish = this.#wish;
    if (!wish || !this.#isUp) return;
    sendControl(workerFiles(this.#ports.workersHome, this.name).control, { type: "stop", isNow: wish.isNow });
  }

  #tell(type: "working" | "session" | "problem", message: string): void {
    this.#ports.tell({ type, task: this.claim.lease.task, worker: this.name, message });
  }
}
