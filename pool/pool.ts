import { AppError, errorText } from "../core/errors.ts";
import type { Claim } from "../queue/job.ts";
import { HeldLease } from "./held-lease.ts";
import { BEATS_IN_A_LEASE, LeaseKeeper, MARGIN, TOO_LATE } from "./lease-keeper.ts";
import { Outbox } from "./outbox.ts";
import { runName } from "./plan-run.ts";
import type { PoolPorts, PoolSettings } from "./pool-ports.ts";
import { reportUntilHeard } from "./report-result.ts";
import { createShortageReport } from "./free-space.ts";
import { Run, type RunOutcome } from "./run.ts";

const AWAY_MS = 1_000;
const FORGET_MS = 3_600_000;
/** How long agents have for their handoff once the time to drain is up, and to end when they must. */
const HANDOFF_MS = 300_000;
const END_NOW_MS = 6_000;

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
  readonly #outbox: Outbox;
  readonly #leases: LeaseKeeper;
  #wake = new AbortController();
  #away = new Set<string>();
  #lack: string | undefined;
  #isListening = false;

  constructor(ports: PoolPorts, settings: PoolSettings, signals: PoolSignals) {
    this.#ports = ports;
    this.#settings = settings;
    this.#signals = signals;
    this.#outbox = new Outbox(ports, () => this.#wakeUp());
    this.#leases = new LeaseKeeper(ports, settings, { runs: this.#runs, outbox: this.#outbox });
    this.#reportRoom = createShortageReport(ports.tell);
  }

  async run(): Promise<void> {
    const { clock, machine, store, tell } = this.#ports;
    const { leaseMs, name, host, slots } = this.#settings;
    const over = new AbortController();
    const wake = () => this.#wakeUp();
    this.#signals.drain.addEventListener("abort", wake);
    this.#signals.now.addEventListener("abort", wake);
    await this.#unlessAway("old runs", () => machine.endOldRuns());
    tell({ type: "ready", message: `pool ${name} on ${host} has ${slots} slots at ${store.target}` });
    const loops = [
      this.#repeat("renew", leaseMs / BEATS_IN_A_LEASE, over.signal, () => this.#leases.beat()),
      this.#repeat("sweep", leaseMs / 3, over.signal, async () => void (await store.sweep())),
      this.#repeat("listen", leaseMs, over.signal, () => this.#listen()),
      this.#repeat("forget", FORGET_MS, over.signal, () => this.#forget()),
      this.#leases.watch(over.signal),
    ];
    try {
      await this.#takeUntilDrained();
      await this.#drain();
      await this.#outbox.close(this.#signals.now);
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
      await this.#unlessAway("outbox", () => this.#takeOutbox());
      if (drain.aborted) return;
      const isTaken = this.#runs.size < this.#settings.slots && this.#hasRoom() && (await this.#take());
      if (isTaken) continue;
      if (this.#settings.isUntilIdle && this.#isIdle()) {
        this.#ports.tell({ type: "idle", message: "there is nothing left to take" });
        return;
      }
      await this.#ports.clock.sleep(this.#settings.pollMs, this.#wake.signal);
    }
  }

  #isIdle(): boolean {
    return (
      this.#runs.size === 0 &&
      this.#outbox.isTried() &&
      this.#away.size === 0 &&
      this.#lack === undefined &&
      !this.#wake.signal.aborted
    );
  }

  /** What an earlier pool of this host has not published. */
  async #takeOutbox(): Promise<void> {
    const { machine, store, tell } = this.#ports;
    const { name, host, leaseMs } = this.#settings;
    for (;;) {
      const found = await store.claimOutbox({ pool: name, host, leaseMs });
      if (!found) return;
      const { claim, end } = found;
      const { lease, task } = claim;
      if (this.#outbox.has(lease.task)) continue;
      const result = await machine.findResult(claim);
      const worker = runName(task, store.id);
      if (result) {
        tell({
          type: "publishing",
          task: lease.task,
          worker,
          message: "its result is still to be published",
        });
        this.#outbox.add({ lease, worker, end, result, state: undefined });
      } else await store.giveBack(lease, { how: "broken off", why: `its result is no longer on ${host}` });
    }
  }

  /** @returns whether there was something to take */
  async #take(): Promise<boolean> {
    const { store, uptimeMs } = this.#ports;
    const { name, host, leaseMs } = this.#settings;
    const asked = uptimeMs();
    const claim = await this.#unlessAway("take", () => store.claim({ pool: name, host, leaseMs }));
    if (claim) this.#start(claim, new HeldLease(uptimeMs, leaseMs * (1 - MARGIN), asked));
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
    const { clock, store, tell } = this.#ports;
    const { lease } = run.claim;
    const { task } = lease;
    const outcome = await run.run();
    if (outcome.kind === "lost") {
      tell({ type: "lost", task, worker: run.name, message: outcome.reason });
      return;
    }
    const problem = await reportUntilHeard({ clock, giveUp: this.#signals.now }, () => {
      if (outcome.kind === "publish")
        return store.beginPublishing(lease, { ...outcome.note, ...outcome.end });
      const { told, note } = outcome;
      return told.kind === "end"
        ? store.finish(lease, { ...note, ...told })
        : store.giveBack(lease, { ...note, ...told });
    });
    // A supervisor may notice the end of its lease before the pool does, and the database be back for its report.
    const late = run.held.leftMs() === 0 ? `${TOO_LATE}: ` : "";
    if (problem !== undefined) tell({ type: "lost", task, worker: run.name, message: `${late}${problem}` });
    else await this.#told(run, outcome);
  }

  async #told(run: Run, outcome: Exclude<RunOutcome, { kind: "lost" }>): Promise<void> {
    const { lease } = run.claim;
    const about = { task: lease.task, worker: run.name };
    if (outcome.kind === "publish") {
      const { end, result, state } = outcome;
      this.#outbox.add({ lease, worker: run.name, end, result, state });
      return;
    }
    const { told } = outcome;
    if (told.kind === "end")
      this.#ports.tell({ type: "ended", ...about, message: `${told.state}: ${told.reason}` });
    else
      this.#ports.tell({
        type: told.how === "broken off" ? "broken off" : "given back",
        ...about,
        message: `given back: ${told.why}`,
      });
    await outcome
      .tidy?.()
      .catch((error: unknown) =>
        this.#ports.tell({ type: "problem", ...about, message: `could not tidy up: ${errorText(error)}` }),
      );
  }

  async #listen(): Promise<void> {
    if (this.#isListening) return;
    await this.#ports.store.listen({
      onReady: () => this.#wakeUp(),
      onCancel: () => void this.#unlessAway("renew", () => this.#leases.beat()),
    });
    this.#isListening = true;
  }

  /** What ended long ago: runs on this machine, and tasks of the queue. */
  async #forget(): Promise<void> {
    const { machine, store, tell } = this.#ports;
    await machine.forgetOldRuns((ids) => store.findOpen(ids));
    const tasks = await store.forget(this.#settings.keepMs);
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
    if (drain.aborted)
      for (const run of this.#runs.keys()) run.stopPreparing({ why: "drain", isNow: now.aborted });
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
    this.#lack = this.#findLack();
    this.#reportRoom(this.#lack);
    return this.#lack === undefined;
  }

  /** A disk that cannot be looked at now is no reason to end what runs. */
  #findLack(): string | undefined {
    try {
      return this.#ports.machine.findShortage();
    } catch (error) {
      return `whether there is room for a task cannot be told: ${errorText(error)}`;
    }
  }

  async #repeat(what: string, everyMs: number, over: AbortSignal, act: () => Promise<void>): Promise<void> {
    while (!over.aborted) {
      const isDone = await this.#unlessAway(what, async () => {
        await act();
        return true;
      });
      await this.#ports.clock.sleep(isDone ? everyMs : Math.min(everyMs, this.#settings.pollMs), over);
    }
  }

  /** What the database cannot answer now is asked again later; that it is away, and back, is said once. */
  async #unlessAway<T>(what: string, act: () => Promise<T>): Promise<T | undefined> {
    const { clock, tell, store } = this.#ports;
    try {
      const result = await act();
      if (this.#away.delete(what) && this.#away.size === 0)
        tell({ type: "ready", message: `the database ${store.target} serves again` });
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
