import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../core/errors.ts";
import { type FileLock, tryLock } from "../../core/file-lock.ts";
import { type LockOwner, readLockOwner } from "../../core/lock-owner.ts";

type Refuse = (holder: LockOwner) => AppError;

type Holder = { label: string; dir: string; claim: string; beatMs?: number | undefined };

/** All locks of one supervisor, under one claim: what it starts carries the claim as a mark, too. */
export class HeldLocks {
  readonly #holder: Holder;
  readonly #lost = new AbortController();
  readonly #held = new Map<string, { lock: FileLock; refuse: Refuse }>();
  readonly #leftBy = new Set<string>();

  constructor(holder: Holder) {
    this.#holder = holder;
  }

  /** aborted, with who has it as the reason, when a heartbeat finds a lock in other hands */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Claims of dead owners, under which they may have left something running. */
  get leftBy(): readonly string[] {
    return [...this.#leftBy];
  }

  /** Takes a lock, or takes it again where the file was removed or is another one. @throws what `refuse` makes of a live holder */
  take(path: string, refuse: Refuse): void {
    if (this.#held.get(path)?.lock.isHeld()) return;
    const { beatMs, ...holder } = this.#holder;
    const { lock, holder: other } = tryLock(path, {
      ...holder,
      beat: { everyMs: beatMs, onLost: () => this.#takeBack(path, refuse) },
    });
    if (!lock) throw refuse(other);
    this.#held.get(path)?.lock.release(); // its heartbeat
    this.#held.set(path, { lock, refuse });
    for (const claim of lock.owner.leftBy ?? []) this.#leftBy.add(claim);
  }

  /** A heartbeat found the file gone or another's. */
  #takeBack(path: string, refuse: Refuse): void {
    try {
      this.#takeIfThere(path, refuse);
    } catch (error) {
      // What a full disk keeps us from is tried again before the next session.
      if (error instanceof AppError && error.code === "locked") this.#lost.abort(error.message);
    }
  }

  /** Counts what a dead neighbour left as ours to end. */
  inherit(dead: LockOwner | undefined): void {
    for (const claim of [...(dead?.leftBy ?? []), dead?.claim])
      if (claim !== undefined) this.#leftBy.add(claim);
  }

  isOwn({ claim }: LockOwner): boolean {
    return claim === this.#holder.claim;
  }

  /** Whether nobody else has this lock; one that somebody removed is still ours. */
  isOurs(path: string): boolean {
    const owner = readLockOwner(path);
    return owner === undefined || this.isOwn(owner);
  }

  /** Proves that every lock is still held; one whose file somebody removed is taken again. @throws what `refuse` makes of a new holder */
  prove(): void {
    for (const [path, { refuse }] of this.#held) this.#takeIfThere(path, refuse);
  }

  #takeIfThere(path: string, refuse: Refuse): void {
    if (existsSync(dirname(dirname(path)))) this.take(path, refuse);
    else this.#held.delete(path); // its repository was removed: nobody can take it, and we must not make one
  }

  release(): void {
    for (const { lock } of [...this.#held.values()].toReversed()) lock.release();
  }
}
