import { withoutUndefined } from "../../core/without-undefined.ts";
import { errorText } from "../../core/errors.ts";
import { CRASHED, type SessionRecord, type WorkerState, spentBy } from "../state/worker-state.ts";
import { entryOf } from "./entry.ts";
import { followLedger } from "./read-ledger.ts";
import { writeEntry } from "./write-ledger.ts";

const isTold = ({ tokens, costUsd }: SessionRecord): boolean => tokens !== undefined || costUsd !== undefined;

type Ports = { home: string; now: () => number; onProblem: (problem: string) => void };

/** Writes down what a worker's sessions use as soon as their agents tell it. A ledger that cannot be written holds up nobody. */
export const createLedgerKeeper = ({ home, now, onProblem }: Ports) => {
  let written = "";

  const note = (state: WorkerState, record: SessionRecord): void => {
    const { at, ...entry } = entryOf(state, record, now());
    const figures = JSON.stringify(entry);
    if (figures === written) return;
    try {
      writeEntry(home, record.startedAt, { at, ...entry });
      written = figures;
    } catch (error) {
      onProblem(`the ledger of costs cannot be written: ${errorText(error)}`);
    }
  };

  /** A state is written once a second at most, the ledger at once: it knows more of a session that a crash cut off. */
  const recover = (state: WorkerState): WorkerState => {
    const { last } = followLedger(home).read();
    const sessions = state.sessions.map((record) => {
      const entry = record.error === CRASHED ? last.get(record.mark) : undefined;
      if (!entry) return record;
      const { costUsd = record.costUsd, totalTokens = record.tokens, tokens = record.tokensByClass } = entry;
      return {
        ...record,
        ...withoutUndefined({ costUsd, tokens: totalTokens, tokensByClass: tokens }),
      };
    });
    return { ...state, sessions, ...spentBy(sessions) };
  };

  return {
    /** the state a supervisor begins with, with what the ledger knows of crashed sessions */
    recover: (state: WorkerState): WorkerState => {
      try {
        return state.sessions.at(-1)?.error === CRASHED ? recover(state) : state;
      } catch (error) {
        onProblem(`the ledger of costs cannot be read: ${errorText(error)}`);
        return state;
      }
    },
    /** told whenever a session's agent reports something; only new figures are written */
    progress: (state: WorkerState, record: SessionRecord): void => {
      if (isTold(record)) note(state, record);
    },
    /** told at a session's end: what one that worked has not told is unknown, and that is written down, too */
    close: (state: WorkerState, record: SessionRecord): void => {
      if (record.isCounted || isTold(record)) note(state, record);
    },
  };
};
