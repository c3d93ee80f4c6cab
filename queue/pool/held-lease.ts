import type { Clock } from "../../core/clock.ts";

/** A moment on both clocks, taken before the database was asked. */
export type Asked = { now: number; elapsed: number };

export const askedAt = (clock: Pick<Clock, "now" | "elapsed">): Asked => ({
  now: clock.now(),
  elapsed: clock.elapsed(),
});

/**
 * How long a lease holds as its holder knows it: counted from before the database was asked, less a margin in
 * which the work is ended before somebody else may begin. By the clock that is further on, so that neither a
 * machine that slept nor a clock that was set prolongs it.
 */
export class HeldLease {
  readonly #clock: Pick<Clock, "now" | "elapsed">;
  readonly #spanMs: number;
  #asked: Asked;

  constructor(clock: Pick<Clock, "now" | "elapsed">, spanMs: number, asked: Asked) {
    this.#clock = clock;
    this.#spanMs = spanMs;
    this.#asked = asked;
  }

  renewed(asked: Asked): void {
    this.#asked = asked;
  }

  leftMs(): number {
    const gone = Math.max(this.#clock.now() - this.#asked.now, this.#clock.elapsed() - this.#asked.elapsed);
    return Math.max(0, this.#spanMs - gone);
  }
}
