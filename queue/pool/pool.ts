import { AppError, errorText } from "../../core/errors.ts";
import { claimTask } from "../claim-task.ts";
import { forgetTasks } from "../forget-tasks.ts";
import { renewLeases } from "../hold-lease.ts";
import { QUEUE_CHANNEL } from "../queue.ts";
import { sweepLeases } from "../sweep.ts";
import type { Claim } from "../task.ts";
import { HeldLease, askedAt } from "./held-lease.ts";
import { endOldRuns, forgetOldRuns } from "./end-old-runs.ts";
import type { PoolPorts, PoolSettings } from "./pool-ports.ts";
import { reportResult } from "./report-result.ts";
import { createRoomReport, findLackOfRoom } from "./room.ts";
import { Run } from "./run.ts";

/** Of a lease, this share is left when the work under it has ended, and this often it is renewed. */
const MARGIN = 1 / 3;
const BEATS_IN_A_LEASE = 6;
const POLL_MS = 2_000;
const LOOK_MS = 250;
const AWAY_MS = 1_000;
const FORGET_MS = 3_600_000;
/** How long agents have for their handoff once the time to drain is up, and to end when they must. */
const HANDOFF_MS = 300_000;
const END_NOW_MS = 6_000;
const TOO_LATE = "its lease could not be renewed in time";

export type PoolSignals = {
  /** take nothing more; let what runs end, or hand over when time is up */
  drain: AbortSignal;
  /** end what runs, now */
  now: AbortSignal;
};

/** Takes work as it has room and runs it under leases, until it is told to drain. */
export class Pool {
  readonly #ports: PoolPorts;
  readonly #settings: PoolSettings;
  readonly #signals: PoolSignals;
  readonly #reportRoom: (lack: string | undefined) => void;
  readonly #runs = new Map<Run, Promise<void>>();
  #wake = new AbortController();
  #away = new Set<string>();
  #lack: string | undefined;
  #isListening = false;

  constructor(ports: PoolPorts, settings: PoolSettings, signals: PoolSignals) {
    this.#ports = ports;
    this.#settings = settings;
    this.#signals = signals;
    this.#reportRoom = createRoomReport(ports.tell);
  }

  async run(): Promise<void> {
    const { clock, queue, tell } = this.#ports;
    const { leaseMs, name, host, slots } = this.#settings;
    await endOldRuns(this.#ports, host);
    const over = new AbortController();
    const wake = () => this.#wakeUp();
    this.#signals.drain.addEventListener("abort", wake);
    this.#signals.now.addEventListener("abort", wake);
    tell({ type: "ready", message: `pool ${name} on ${host} has ${slots} slots at ${queue.db.target}` });
    const loops = [
      this.#repeat("renew", leaseMs / BEATS_IN_A_LEASE, over.signal, () => this.#beat()),
      this.#repeat("sweep", leaseMs / 3, over.signal, async () => void (await sweepLeases(queue))),
      this.#repeat("listen", leaseMs, over.signal, () => this.#listen()),
      this.#repeat("forget", FORGET_MS, over.signal, () => this.#forget()),
      this.#watchLeases(over.signal),
    ];
    try {
      await this.#takeUntilDrained();
      await this.#drain();
    } finally {
      over.abort();
      await Promise.all(loops);
      await clock.sleep(0);
    }
  }

  async #takeUntilDrained(): Promise<void> {
    const { drain } = this.#signals;
    while (!drain.aborted) {
      this.#wake = new AbortController();
      if (drain.aborted) return;
      const isTaken = this.#runs.size < this.#settings.slots && this.#hasRoom() && (await this.#take());
      if (isTaken) continue;
      if (
        this.#settings.isUntilIdle &&
        this.#runs.size === 0 &&
        this.#away.size === 0 &&
        this.#lack === undefined
      ) {
        this.#ports.tell({ type: "idle", message: "there is nothing left to take" });
        return;
      }
      await this.#ports.clock.sleep(POLL_MS, this.#wake.signal);
    }
  }

  /** @returns whether there was something to take */
  async #take(): Promise<boolean> {
    const { clock, queue } = this.#ports;
    const { name, host, leaseMs } = this.#settings;
    const asked = askedAt(clock);
    const claim = await this.#unlessAway("take", () => claimTask(queue, { pool: name, host, leaseMs }));
    if (claim) this.#start(claim, new HeldLease(clock, leaseMs * (1 - MARGIN), asked));
    return claim !== undefined;
  }

  #start(claim: Claim, held: HeldLease): void {
    const { tell } = this.#ports;
    const run = new Run(this.#ports, this.#settings, { claim, held });
    tell({ type: "taken", task: claim.task.id, worker: run.name, message: describeClaim(claim) });
    const finished = this.#finish(run)
      .catch((error: unknown) =>
        tell({ type: "problem", task: claim.task.id, message: `internal error: ${errorText(error)}` }),
      )
      .finally(() => {
        this.#runs.delete(run);
        this.#wakeUp();
      });
    this.#runs.set(run, finished);
  }

  async #finish(run: Run): Promise<void> {
    const { clock, queue, tell } = this.#ports;
    const task = run.claim.lease.task;
    const result = await run.run();
    if (result.kind === "lost") {
      tell({ type: "lost", task, worker: run.name, message: result.reason });
      return;
    }
    const problem = await reportResult({ clock, queue, giveUp: this.#signals.now }, run.claim.lease, result);
    // A supervisor may notice the end of its lease before the pool does, and the database be back for its report.
    const why = run.held.leftMs() === 0 ? `${TOO_LATE}: ` : "";
    if (problem !== undefined) tell({ type: "lost", task, worker: run.name, message: `${why}${problem}` });
    else if (result.kind === "end")
      tell({ type: "ended", task, worker: run.name, message: `${result.state}: ${result.reason}` });
    else
      tell({
        type: result.isBroken ? "broken off" : "given back",
        task,
        worker: run.name,
        message: `given back: ${result.why}`,
      });
    if (problem === undefined) await result.tidy?.();
  }

  async #beat(): Promise<void> {
    const runs = [...this.#runs.keys()].filter((run) => !run.lost.aborted);
    if (runs.length === 0) return;
    const asked = askedAt(this.#ports.clock);
    const renewals = runs.map((run) => ({ lease: run.claim.lease, progress: run.progress }));
    const renewed = await renewLeases(this.#ports.queue, renewals, this.#settings.leaseMs);
    for (const run of runs) {
      const { task, token } = run.claim.lease;
      const mine = renewed.find(({ lease }) => lease.task === task && lease.token === token);
      // One that has just ended is in nobody's hands any more; its own report says how.
      if (!mine) {
        if (this.#runs.has(run)) run.lose("the queue has given the task to somebody else");
        continue;
      }
      run.held.renewed(asked);
      run.renewed();
      if (mine.cancel) run.stop({ why: "cancel", isNow: mine.cancel === "now" });
    }
  }

  /** A lease that could not be renewed ends its work before anybody else may begin. */
  async #watchLeases(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.#ports.clock.sleep(LOOK_MS, over);
      for (const run of this.#runs.keys()) if (run.held.leftMs() === 0) run.lose(TOO_LATE);
    }
  }

  async #listen(): Promise<void> {
    if (this.#isListening) return;
    await this.#ports.queue.db.listen(QUEUE_CHANNEL, {
      onMessage: (payload) => (payload === "cancel" ? void this.#beat().catch(() => {}) : this.#wakeUp()),
      onGap: () => this.#wakeUp(),
    });
    this.#isListening = true;
  }

  /** What ended long ago: runs on this machine, and tasks of the queue. */
  async #forget(): Promise<void> {
    const { queue, tell } = this.#ports;
    forgetOldRuns(this.#ports);
    const tasks = await forgetTasks(queue, this.#settings.keepMs);
    if (tasks > 0)
      tell({ type: "forgotten", message: `${tasks} ended long ago and are forgotten (--keep-days)` });
  }

  async #drain(): Promise<void> {
    const { clock, tell } = this.#ports;
    const { drain, now } = this.#signals;
    if (this.#runs.size === 0) return;
    if (drain.aborted)
      tell({
        type: "draining",
        message: `nothing more is taken; still running: ${[...this.#runs.keys()].map(({ name }) => name).join(", ")}`,
      });
    const ended = async () => {
      while (this.#runs.size > 0) await Promise.all(this.#runs.values());
    };
    const all = ended();
    const isOver = new AbortController();
    void all.then(() => isOver.abort());
    const until = AbortSignal.any([isOver.signal, now]);
    await clock.sleep(this.#settings.drainMs, until);
    for (const run of this.#runs.keys()) run.stop({ why: "drain", isNow: now.aborted });
    await clock.sleep(HANDOFF_MS, until);
    for (const run of this.#runs.keys()) run.stop({ why: "drain", isNow: true });
    await clock.sleep(END_NOW_MS, isOver.signal);
    for (const run of this.#runs.keys()) void run.end(0);
    await all;
  }

  #hasRoom(): boolean {
    const lack = findLackOfRoom(this.#ports, this.#settings);
    this.#lack = lack;
    this.#reportRoom(lack);
    return lack === undefined;
  }

  async #repeat(what: string, everyMs: number, over: AbortSignal, act: () => Promise<void>): Promise<void> {
    while (!over.aborted) {
      const isDone = await this.#unlessAway(what, async () => {
        await act();
        return true;
      });
      await this.#ports.clock.sleep(isDone ? everyMs : Math.min(everyMs, POLL_MS), over);
    }
  }

  /** What the database cannot answer now is asked again later; that it is away, and back, is said once. */
  async #unlessAway<T>(what: string, act: () => Promise<T>): Promise<T | undefined> {
    const { clock, tell, queue } = this.#ports;
    try {
      const result = await act();
      if (this.#away.delete(what) && this.#away.size === 0)
        tell({ type: "ready", message: `the database ${queue.db.target} serves again` });
      return result;
    } catch (error) {
      // A bug of ours in one round is no reason to end hours of other work.
      const message = error instanceof AppError ? error.message : `internal error: ${errorText(error)}`;
      if (this.#away.size === 0) tell({ type: "problem", message });
      this.#away.add(what);
      await clock.sleep(AWAY_MS, this.#wake.signal);
      return undefined;
    }
  }

  #wakeUp(): void {
    this.#wake.abort();
  }
}

const describeClaim = ({ task, lease }: Claim): string =>
  `run ${lease.token} of ${task.worker} in ${task.repo ?? task.dir ?? "?"}`;
