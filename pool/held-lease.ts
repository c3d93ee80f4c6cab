/**
 * How long a lease holds as its holder knows it: counted from before the database was asked, less a margin in
 * which the work is ended before somebody else may begin. By the uptime of the machine, which goes on while it
 * sleeps and which nobody sets: a clock of the day that is put right ends nothing.
 */
export class HeldLease {
  readonly #uptimeMs: () => number;
  readonly #spanMs: number;
  #until: number;

  /** `askedAt` is the uptime before the database was asked. */
  constructor(uptimeMs: () => number, spanMs: number, askedAt: number) {
    this.#uptimeMs = uptimeMs;
    this.#spanMs = spanMs;
    this.#until = askedAt + spanMs;
  }

  renewed(askedAt: number): void {
    this.#until = Math.max(this.#until, askedAt + this.#spanMs);
  }

  /** On the clock that `uptimeMs` reads. */
  get until(): number {
    return this.#until;
  }

  leftMs(): number {
    return Math.max(0, this.#until - this.#uptimeMs());
  }
}
