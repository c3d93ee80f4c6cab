import { iso } from "../../../core/clock.ts";
import type { Learning } from "../store/learning.ts";
import type { ProjectState } from "../store/store.ts";
import type { StateView } from "./answers.ts";
import type { LearningView } from "./schemas.ts";

/** A learning as the API shows it: the names of this design, and `created_at` for older clients. */
export const viewLearning = ({ seq: _seq, expiresAt, ...learning }: Learning): LearningView => ({
  ...learning,
  createdAt: iso(learning.createdAt),
  created_at: iso(learning.createdAt),
  updatedAt: iso(learning.updatedAt),
  verifiedAt: iso(learning.verifiedAt),
  ...(expiresAt === undefined ? {} : { expiresAt: iso(expiresAt) }),
});

/** The status of a project's state that was closed. */
export const RESOLVED = "resolved";

export const viewState = ({ createdAt, updatedAt, ...state }: ProjectState): StateView => ({
  ...state,
  runId: state.project,
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
  ...(state.status === RESOLVED ? { resolvedAt: iso(updatedAt) } : {}),
});

/** Four digits are enough to compare by, and stay the same on every engine. */
export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
