import { withoutUndefined } from "../../core/without-undefined.ts";
import type { Clock } from "../../core/clock.ts";
import { errorText } from "../../core/errors.ts";
import {
  type SessionRecord,
  type WorkerState,
  type WorkerStatus,
  spentBy,
  transition,
} from "./worker-state.ts";
import { saveState } from "./save-state.ts";

/** `isOwner`: whether the worker's lock is still ours; who took it over writes the state from then on. */
type Ports = { home: string; clock: Clock; locks: { isOwner: () => boolean } };

const SAVE_EVERY_MS = 1_000;
const KEPT_REMARKS = 20;

/**
 * The one writer of a worker's state file. Every change is durable before it is acted on, except figures
 * that only inform (context, cost), which are written at most once a second.
 */
export class StateKeeper {
  readonly #home: string;
  readonly #clock: Clock;
  #state: WorkerState | undefined;
  #savedMs = 0;
  #later: ReturnType<typeof setTimeout> | undefined;
  readonly #isOwner: () => boolean;
  readonly #onChange: (state: WorkerState) => void;

  constructor({ home, clock, locks }: Ports, onChange: (state: WorkerState) => void) {
    this.#home = home;
    this.#clock = clock;
    this.#isOwner = locks.isOwner;
    this.#onChange = onChange;
  }

  get state(): WorkerState {
    if (!this.#state) throw new Error("the state is read before it was begun");
    return this.#state;
  }

  /** The first write: when it fails, the worker does not start. */
  begin(state: WorkerState): void {
    saveState(this.#home, state);
    this.#state = state;
    this.#onChange(state);
  }

  update(change: (state: WorkerState) => WorkerState): void {
    this.#state = { ...change(this.state), updatedAt: new Date(this.#clock.now()).toISOString() };
    this.#save();
    this.#onChange(this.#state);
  }

  setStatus(status: WorkerStatus): void {
    if (this.state.status !== status) this.update((state) => transition(state, status));
  }

  remark(text: string): void {
    if (!this.#state || this.#state.remarks.includes(text)) return;
    this.#state = { ...this.#state, remarks: [...this.#state.remarks, text].slice(-KEPT_REMARKS) };
  }

  openSession(record: SessionRecord): void {
    this.update((state) => ({ ...state, sessions: [...state.sessions, record], session: state.session + 1 }));
  }

  /**
   * Takes over what the running session reports. Figures only inform, so they are written once a second at
   * most, and within a second: an agent may be silent for an hour after it. What a crash is told by is written at once.
   */
  progress(record: SessionRecord): void {
    const known = this.state.sessions.find(({ number }) => number === record.number);
    this.#state = withFigures(this.state, record);
    if (FOUND_AGAIN_BY.some((key) => known?.[key] !== record[key])) this.update((state) => state);
    else if (Math.abs(this.#clock.now() - this.#savedMs) >= SAVE_EVERY_MS) this.update((state) => state);
    else this.#later ??= setTimeout(() => this.update((state) => state), SAVE_EVERY_MS).unref();
  }

  closeSession(record: SessionRecord): void {
    this.update((state) => {
      const closed = withFigures(state, record);
      return { ...closed, session: closed.sessions.filter((session) => session.isCounted).length };
    });
  }

  /** A full disk must not end a night's work: the state is kept in memory and written again later. */
  #save(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    if (!this.#isOwner()) return;
    try {
      saveState(this.#home, this.state);
      this.#savedMs = this.#clock.now();
    } catch (error) {
      this.remark(errorText(error));
    }
  }
}

/**
 * Where the work began, what was saved of it, and the conversation: without them a crashed session cannot be judged.
 * What a reviewer costs is said a few times in all, and nobody else keeps it.
 */
const FOUND_AGAIN_BY = ["headBefore", "rescueRef", "conversationId", "reviewCostUsd"] as const;

const withFigures = (state: WorkerState, record: SessionRecord): WorkerState => {
  const { contextTokens: tokens, windowTokens } = record;
  const gate = record.gateAfter ?? record.gateBefore;
  const sessions = state.sessions.map((session) =>
    session.number === record.number ? { ...record } : session,
  );
  return {
    ...state,
    sessions,
    ...spentBy(sessions),
    ...withoutUndefined({ lastGate: gate, verdict: record.verdict }),
    ...(tokens === undefined
      ? {}
      : {
          context: {
            tokens,
            source: record.contextSource ?? "none",
            ...(windowTokens === undefined
              ? {}
              : { windowTokens, percent: Math.round((1000 * tokens) / windowTokens) / 10 }),
          },
        }),
  };
};
