import type { Clock } from "../../core/clock.ts";

type Timer = { at: number; fire: () => void };

const EPOCH = 1_800_000_000_000;
/** Timers that are due within this span fire together: fifty workers are then at work side by side. */
const TICK_MS = 10_000;
/** Turns of the event loop without anything under way: what one of them brought may begin something in the next. */
const QUIET_TURNS = 4;
/** What the kernel does for us: programs, files. Sockets and watchers may be silent for ever. */
const REAL = new Set(["ProcessWrap", "FSReqCallback", "FSReqPromise"]);

/**
 * Time for supervisors in this process that passes only when no program runs and no file is read or written for any
 * of them: a night takes as long as its real work. Set and asleep like a machine's.
 */
export class QuietClock {
  #elapsed = 0;
  #setBy = 0;
  #timers: Timer[] = [];

  readonly clock: Clock = {
    now: () => EPOCH + this.#elapsed + this.#setBy,
    elapsed: () => this.#elapsed,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal?.aborted) return resolve();
        const at = Math.ceil((this.#elapsed + ms) / TICK_MS) * TICK_MS;
        const timer = { at, fire: () => done() };
        const done = () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        };
        const abort = () => {
          this.#timers = this.#timers.filter((one) => one !== timer);
          done();
        };
        signal?.addEventListener("abort", abort, { once: true });
        this.#timers.push(timer);
      }),
  };

  get elapsedMs(): number {
    return this.#elapsed;
  }

  /** Sets the clock of the day; with a machine's sleep it goes on while spans stand still. */
  step(ms: number): void {
    this.#setBy += ms;
  }

  /** Lets time pass until `isOver`, or until `untilMs` have passed since the beginning. */
  async run(untilMs: number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#quiet();
      const next = this.#timers.reduce<Timer | undefined>(
        (first, one) => (first === undefined || one.at < first.at ? one : first),
        undefined,
      );
      if (next === undefined || next.at > untilMs) {
        if (isOver()) return;
        if (next === undefined) continue; // something real is to come
        this.#elapsed = untilMs;
        return;
      }
      this.#elapsed = next.at;
      const due = this.#timers.filter(({ at }) => at <= next.at);
      this.#timers = this.#timers.filter(({ at }) => at > next.at);
      for (const { fire } of due) fire();
    }
  }

  async #quiet(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS;) {
      await new Promise(setImmediate);
      const isBusy = process.getActiveResourcesInfo().some((kind) => REAL.has(kind));
      // The processor is for those who work.
      if (isBusy) await new Promise((resolve) => setTimeout(resolve, 1));
      quiet = isBusy ? 0 : quiet + 1;
    }
  }
}
