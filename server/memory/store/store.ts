import type { AnalyzedLearning } from "../analysis/analyze.ts";
import type { Learning, LearningType, Link, LinkKind, NewLearning, Visibility } from "./learning.ts";
import type { Steps } from "../../../db/steps.ts";

/** A learning with what the scorer needs of it. */
export type Indexed = { learning: Learning; analyzed: AnalyzedLearning };

export type CorpusTotals = { documents: number; triggerLength: number; learningLength: number };

export type ListFilter = {
  visibility: Visibility;
  type?: LearningType | undefined;
  /** only this project's own */
  project?: string | undefined;
  marker?: string | undefined;
  writer?: string | undefined;
  confidenceBelow?: number | undefined;
  verifiedBefore?: number | undefined;
};

export type Added = { learning: Learning; status: "stored" | "merged" | "replayed" };

export type AddOptions = {
  /** the same key with the same request answers with the first result; with another one it is a conflict */
  idempotencyKey?: string | undefined;
  links?: readonly { to: string; kind: LinkKind }[];
};

/** What an outcome adds to the learnings it is about. */
export type Credit = { helpful: number; harmful: number };

/**
 * Where learnings live. Every method is one atomic step, so an implementation on another database changes
 * nothing above it. What a method acknowledges is on disk and is found by the next call.
 */
export type LearningStore = {
  add: (learning: NewLearning, options: AddOptions) => Promise<Added>;
  find: (id: string, visibility: Visibility) => Promise<Learning | undefined>;
  list: (
    filter: ListFilter,
    page: { limit: number; offset: number },
  ) => Promise<{ learnings: Learning[]; total: number }>;
  /** every learning that fits, oldest first, read in batches */
  each: (filter: ListFilter) => AsyncIterable<Learning>;
  remove: (filter: ListFilter & { id?: string }, by: { writer: string; purge: boolean }) => Promise<string[]>;
  change: (
    id: string,
    visibility: Visibility,
    by: { writer: string; apply: (learning: Learning) => Partial<LearningChanges> },
  ) => Promise<Learning | undefined>;
  /** Puts everything back as it was before this writer touched it since then. */
  undo: (writer: string, since: number) => Promise<{ removed: string[]; restored: string[] }>;
  /** Credits each learning once per receipt; a different outcome later replaces the first. */
  credit: (
    seqs: readonly number[],
    outcome: { receipt: string; outcome: string; writer: string; credit: Credit },
  ) => Promise<{ credited: string[]; changed: boolean }>;
  countByScope: (visibility: Visibility) => Promise<Record<string, number>>;
  summary: (
    visibility: Visibility,
  ) => Promise<{ total: number; averageConfidence: number; byType: Record<string, number> }>;
  /** Deletes what has expired and what undo and idempotency need no more; @returns the ids of the expired. */
  sweep: () => Promise<string[]>;
};

/** A term to search for, and what a learning is worth more that has it. */
export type AskedTerm = { term: string; rarity: number };

/** Rarities are added up in whole units: their sum is then the same in whatever order an engine adds. */
export const inUnits = (rarity: number): number => Math.round(rarity * 2 ** 20);

/** What a term in the trigger counts, as a multiple of its rarity. */
export const IN_TRIGGER = 1.5;

export type CandidateQuery = {
  visibility: Visibility;
  types?: readonly LearningType[] | undefined;
  minConfidence?: number | undefined;
  limit: number;
};

/** The search side of a learning store: candidates for the scorer, and what it weighs them by. */
export type LearningSearch = {
  linksOf: (seqs: readonly number[]) => Promise<Link[]>;
  /** the visible ones of these learnings */
  bySeq: (seqs: readonly number[], visibility: Visibility) => Promise<Indexed[]>;
  totals: () => Promise<CorpusTotals>;
  /** in how many learnings each of these terms occurs (0 for unknown ones) */
  documentsWith: (terms: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** known terms that are spelled nearly like this unknown one */
  similarTerms: (term: string) => Promise<string[]>;
  /**
   * Visible learnings of these types that have one of the terms. When there are more than `limit`: those with
   * the largest sum of their terms' rarities (`inUnits`), one and a half times for a term in the trigger, and
   * the newest of equals.
   */
  candidates: (terms: readonly AskedTerm[], query: CandidateQuery) => Promise<Indexed[]>;
};

/** What a change tells the search index of, inside the transaction that makes it. */
export type LearningIndex = {
  insert: (learning: Learning) => void;
  remove: (learning: Learning) => void;
};
export type Change = { index: LearningIndex; at: number };

/** Makes a change, whole or not at all, and no two at once; resolves when it is on disk. */
export type Write = <T>(change: (index: LearningIndex) => Steps<T>) => Promise<T>;

/** What may be changed of a learning; what it says never is. */
export type LearningChanges = Pick<Learning, "confidence" | "verifiedAt" | "updatedAt">;

/** A document per project, with every revision kept. */
export type ProjectState = {
  project: string;
  revision: number;
  status: string;
  state: Record<string, unknown>;
  updatedBy: string;
  createdAt: number;
  updatedAt: number;
};

export type StateStore = {
  find: (project: string) => Promise<ProjectState | undefined>;
  revisions: (project: string, limit: number) => Promise<ProjectState[]>;
  /**
   * Adds a revision made from the present one.
   * @throws AppError `precondition-failed` when `expected` is given and the present revision is another
   */
  change: (
    project: string,
    by: {
      writer: string;
      expected?: number | undefined;
      apply: (present: ProjectState | undefined) => { status: string; state: Record<string, unknown> };
    },
  ) => Promise<ProjectState>;
};

export type Handoff = {
  id: string;
  sessionId: string;
  createdAt: number;
  updatedAt: number;
  body: Record<string, unknown>;
};

export type HandoffStore = {
  put: (sessionId: string, body: Record<string, unknown>, writer: string) => Promise<Handoff>;
  find: (idOrSession: string) => Promise<Handoff | undefined>;
  list: (limit: number) => Promise<Handoff[]>;
};

/** A value that is made once per database, such as the key that signs receipts. */
export type SettingStore = { getOrMake: (name: string, make: () => string) => Promise<string> };

/** Vectors kept beside the learnings. */
export type VectorStore = {
  /** the learnings that have a vector of this model */
  listSeqs: (model: string) => Promise<number[]>;
  /** every vector of this model */
  load: (model: string) => Promise<{ seq: number; vector: Float32Array }[]>;
  /** learnings without a vector of this model, and their texts */
  missing: (model: string, limit: number) => Promise<{ seq: number; text: string }[]>;
  put: (model: string, vectors: readonly { seq: number; vector: Float32Array }[]) => Promise<void>;
  /** Tells of vectors of this model that other servers have put, until the function it gives is called. */
  watch: (
    model: string,
    onPut: (vectors: readonly { seq: number; vector: Float32Array }[]) => void,
  ) => Promise<() => Promise<void>>;
};

export type MemoryStores = {
  learnings: LearningStore & LearningSearch;
  states: StateStore;
  handoffs: HandoffStore;
  settings: SettingStore;
  vectors: VectorStore;
};
