import { AppError, errorText } from "../core/errors.ts";
import type { WorkerState } from "../worker/state/worker-state.ts";
import type { Lease, RunEnd } from "../queue/job.ts";
import type { Result } from "./machine.ts";
import type { PoolPorts } from "./pool-ports.ts";
import { reportUntilHeard } from "./report-result.ts";

/** A result that is on this machine alone, and the end its task will have once it is not. */
export type Parcel = {
  lease: Lease;
  worker: string;
  end: RunEnd;
  result: Result;
  state: WorkerState | undefined;
};

type Sending = { parcel: Parcel; lost: AbortController; isTried: boolean; over: Promise<void> };

const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

/**
 * What is done and not yet where others find it. Each result is pushed until it arrives, is cancelled, or the
 * pool ends: then the next pool of this host goes on. It holds no slot and costs no attempt.
 */
export class Outbox {
  readonly #ports: PoolPorts;
  readonly #sendings = new Map<number, Sending>();
  readonly #closed = new AbortController();
  readonly #hurried = new AbortController();
  readonly #onChange: () => void;

  constructor(ports: PoolPorts, onChange: () => void) {
    this.#ports = ports;
    this.#onChange = onChange;
  }

  get leases(): Lease[] {
    return [...this.#sendings.values()].map(({ parcel }) => parcel.lease);
  }

  has(task: number): boolean {
    return this.#sendings.has(task);
  }

  /** Whether each has been tried, so that what is left waits for somebody else. */
  isTried(): boolean {
    return [...this.#sendings.values()].every(({ isTried }) => isTried);
  }

  add(parcel: Parcel): void {
    const { task } = parcel.lease;
    const sending: Sending = { parcel, lost: new AbortController(), isTried: false, over: Promise.resolve() };
    this.#sendings.set(task, sending);
    sending.over = this.#send(sending)
      .catch((error: unknown) => this.#tell(parcel, "problem", `internal error: ${errorText(error)}`))
      .finally(() => {
        this.#sendings.delete(task);
        this.#onChange();
      });
  }

  /** The task is not ours to publish any more. */
  lose(task: number): void {
    this.#sendings.get(task)?.lost.abort();
  }

  /** Lets each be tried once more at most, not beyond `now`, and leaves the rest to the next pool. */
  async close(now: AbortSignal): Promise<void> {
    this.#closed.abort();
    const hurry = () => this.#hurried.abort();
    if (now.aborted) hurry();
    now.addEventListener("abort", hurry);
    await Promise.all([...this.#sendings.values()].map(({ over }) => over));
    now.removeEventListener("abort", hurry);
  }

  async #send(sending: Sending): Promise<void> {
    const { clock, store } = this.#ports;
    const { parcel, lost } = sending;
    const pushing = AbortSignal.any([lost.signal, this.#hurried.signal]);
    let said: string | undefined;
    for (let tries = 0; ; tries++) {
      const { problem, ...note } = await parcel.result.publish(parcel.state, pushing);
      if (lost.signal.aborted) return this.#stop(parcel);
      if (problem === undefined) return this.#arrived(parcel, note);
      sending.isTried = true;
      this.#onChange();
      if (problem !== said) this.#tell(parcel, "problem", `not published yet: ${problem}`);
      said = problem;
      try {
        await store.notePublishing(parcel.lease, `not published yet: ${problem}`);
      } catch (error) {
        if (error instanceof AppError && error.code === "conflict") lost.abort();
      }
      if (!this.#closed.signal.aborted)
        await clock.sleep(
          Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** tries),
          AbortSignal.any([lost.signal, this.#closed.signal]),
        );
      if (lost.signal.aborted) return this.#stop(parcel);
      if (this.#closed.signal.aborted) return this.#leave(parcel);
    }
  }

  #stop(parcel: Parcel): void {
    this.#tell(parcel, "lost", "it is no longer to be published; its result stays here");
  }

  async #arrived(parcel: Parcel, note: object): Promise<void> {
    const { clock, store } = this.#ports;
    const end = { ...note, ...parcel.end };
    const problem = await reportUntilHeard({ clock, giveUp: this.#hurried.signal }, () =>
      store.finish(parcel.lease, end),
    );
    if (problem !== undefined) return this.#tell(parcel, "lost", problem);
    this.#tell(parcel, "ended", `${parcel.end.state}: ${parcel.end.reason}`);
    await parcel.result
      .tidy()
      .catch((error: unknown) => this.#tell(parcel, "problem", `could not tidy up: ${errorText(error)}`));
  }

  async #leave(parcel: Parcel): Promise<void> {
    this.#tell(parcel, "publishing", "left to the next pool of this host");
    // Otherwise it is free once the lease is over.
    await this.#ports.store.leaveOutbox(parcel.lease).catch(() => {});
  }

  #tell({ lease, worker }: Parcel, type: "publishing" | "ended" | "lost" | "problem", message: string): void {
    this.#ports.tell({ type, task: lease.task, worker, message });
  }
}
