/** The three kinds of memory: when X do Y; what did not work (and what does); where a project stands. */
export const LEARNING_TYPES = ["learning", "failure", "state"] as const;
export type LearningType = (typeof LEARNING_TYPES)[number];

/** One remembered thing. Times are milliseconds since the epoch; texts are clean (`cleanText`). */
export type Learning = {
  /** the store's own number of it: rises with every insertion, never reused */
  seq: number;
  id: string;
  type: LearningType;
  trigger: string;
  learning: string;
  /** what works instead, for a failure */
  alternative?: string;
  reason?: string;
  source?: string;
  /** how sure its writer was, moved by confirm and reject: 0..1 */
  confidence: number;
  scope: string;
  project?: string;
  /** a caller's tag for deleting what it wrote */
  marker?: string;
  writer: string;
  /** how many different writers have said the same */
  writers: number;
  /** credits from outcomes */
  helpful: number;
  harmful: number;
  createdAt: number;
  updatedAt: number;
  /** when somebody last stood up for it: written, merged, confirmed or verified; never by reading */
  verifiedAt: number;
  expiresAt?: number;
};

export type NewLearning = Omit<
  Learning,
  "seq" | "writers" | "helpful" | "harmful" | "verifiedAt" | "updatedAt"
>;

/** `from` supersedes, contradicts (and is newer than) or fixes `to`; both are `seq`. */
export type Link = { from: number; to: number; kind: LinkKind };
export type LinkKind = "supersedes" | "contradicts" | "fixes";

/** What a caller may see; every query of the store goes through it. */
export type Visibility = {
  scopes: readonly string[] | "all";
  /** only this project's learnings and those of no project */
  project?: string | undefined;
};
