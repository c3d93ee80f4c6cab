import type { Lease } from "../queue/job.ts";
import type { Outbox } from "./outbox.ts";
import type { PoolPorts, PoolSettings } from "./pool-ports.ts";
import type { Run } from "./run.ts";

/** Of a lease, this share is left when the work under it has ended, and this often it is renewed. */
export const MARGIN = 1 / 3;
export const BEATS_IN_A_LEASE = 6;
export const TOO_LATE = "its lease could not be renewed in time";
/** Answers that came while this process was busy are read within this time. */
const READ_FIRST_MS = 20;

type Kept = { runs: ReadonlyMap<Run, unknown>; outbox: Outbox };

/** Keeps the leases of a pool: of what gets on, and of what is still to be published. */
export class LeaseKeeper {
  readonly #ports: PoolPorts;
  readonly #leaseMs: number;
  readonly #kept: Kept;

  constructor(ports: PoolPorts, { leaseMs }: Pick<PoolSettings, "leaseMs">, kept: Kept) {
    this.#ports = ports;
    this.#leaseMs = leaseMs;
    this.#kept = kept;
  }

  /** Renews all of them in one question, and passes on what is to be cancelled. */
  async beat(): Promise<void> {
    const { store, uptimeMs } = this.#ports;
    const { outbox } = this.#kept;
    const runs = this.#held().filter((run) => run.isAlive());
    const sent = outbox.leases;
    if (runs.length + sent.length === 0) return;
    const asked = uptimeMs();
    const renewals = [
      ...runs.map((run) => ({ lease: run.claim.lease, progress: run.progress })),
      ...sent.map((lease) => ({ lease, progress: undefined })),
    ];
    const renewed = await store.renew(renewals, this.#leaseMs);
    const answerFor = ({ task, token }: Lease) =>
      renewed.find(({ lease }) => lease.task === task && lease.token === token);
    for (const run of runs) {
      const mine = answerFor(run.claim.lease);
      // One that has just ended is in nobody's hands any more; its own report says how.
      if (!mine) {
        if (this.#kept.runs.has(run)) run.lose("the queue gave the task to another pool");
        continue;
      }
      run.renewed(asked);
      if (mine.cancel) run.stop({ why: "cancel", isNow: mine.cancel === "now" });
    }
    for (const lease of sent) if (!answerFor(lease)) outbox.lose(lease.task);
  }

  /** A lease that could not be renewed ends its work before anybody else may begin. */
  async watch(over: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const everyMs = this.#leaseMs / BEATS_IN_A_LEASE;
    while (!over.aborted) {
      const left = this.#held().map(({ held }) => held.leftMs());
      await clock.sleep(Math.max(READ_FIRST_MS, Math.min(everyMs, ...left)), over);
      if (this.#late().length === 0) continue;
      // A timer that is late because this process was busy runs before the answers that came meanwhile.
      await clock.sleep(READ_FIRST_MS, over);
      for (const run of this.#late()) run.lose(TOO_LATE);
    }
  }

  #held(): Run[] {
    return [...this.#kept.runs.keys()].filter(({ lost }) => !lost.aborted);
  }

  #late(): Run[] {
    return this.#held().filter(({ held }) => held.leftMs() === 0);
  }
}
