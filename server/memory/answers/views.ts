import { withoutUndefined } from "../../../core/without-undefined.ts";
import type { Learning } from "../store/learning.ts";
import type { ProjectState } from "../store/store.ts";

/** A learning as the API shows it: the names of this design, and `created_at` for older clients. */
export const viewLearning = (learning: Learning) => {
  const createdAt = new Date(learning.createdAt).toISOString();
  return {
    id: learning.id,
    type: learning.type,
    trigger: learning.trigger,
    learning: learning.learning,
    ...withoutUndefined({ alternative: learning.alternative, reason: learning.reason }),
    confidence: learning.confidence,
    ...(learning.source === undefined ? {} : { source: learning.source }),
    scope: learning.scope,
    ...withoutUndefined({ project: learning.project, marker: learning.marker }),
    writer: learning.writer,
    writers: learning.writers,
    helpful: learning.helpful,
    harmful: learning.harmful,
    createdAt,
    created_at: createdAt,
    updatedAt: new Date(learning.updatedAt).toISOString(),
    verifiedAt: new Date(learning.verifiedAt).toISOString(),
    ...(learning.expiresAt === undefined ? {} : { expiresAt: new Date(learning.expiresAt).toISOString() }),
  };
};

/** The status of a project's state that was closed. */
export const RESOLVED = "resolved";

export const viewState = ({ createdAt, updatedAt, ...state }: ProjectState) => ({
  ...state,
  runId: state.project,
  createdAt: new Date(createdAt).toISOString(),
  updatedAt: new Date(updatedAt).toISOString(),
  ...(state.status === RESOLVED ? { resolvedAt: new Date(updatedAt).toISOString() } : {}),
});

/** Four digits are enough to compare by, and stay the same on every engine. */
export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
