import type { Database } from "../../../db/database.ts";
import type { LearningIndex } from "./index.ts";
import type { Journal } from "./journal.ts";

/** What the SQLite functions on learnings share. */
export type LearningPorts = { db: Database; index: LearningIndex; journal: Journal; now: () => number };
