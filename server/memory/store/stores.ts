import type { Statements } from "../../../db/statements.ts";
import { addLearning } from "./add.ts";
import { changeLearning, creditLearnings, removeLearnings, sweep } from "./change.ts";
import { createHandoffs, createSettings } from "./handoffs.ts";
import { undo } from "./journal.ts";
import { createLearningReads } from "./learning-reads.ts";
import { createStates } from "./states.ts";
import type { LearningSearch, MemoryStores, VectorStore, Write } from "./store.ts";

/** What a database brings along; everything else is the same on both. */
type Engine = { db: Statements; write: Write; search: LearningSearch; vectors: VectorStore };

export const createStores = ({ db, write, search, vectors }: Engine, now: () => number): MemoryStores => {
  const changing = (index: Parameters<Parameters<Write>[0]>[0]) => ({ index, at: now() });
  return {
    learnings: {
      ...search,
      ...createLearningReads(db, now),
      add: (entry, options) => write((index) => addLearning(changing(index), entry, options)),
      remove: (...given) => write((index) => removeLearnings(changing(index), given)),
      change: (...given) => write((index) => changeLearning(changing(index), given)),
      undo: (writer, since) => write((index) => undo(changing(index), writer, since)),
      credit: (...given) => write((index) => creditLearnings(changing(index), given)),
      sweep: () => write((index) => sweep(changing(index))),
    },
    states: createStates(db, write, now),
    handoffs: createHandoffs(db, now),
    settings: createSettings(db),
    vectors,
  };
};
