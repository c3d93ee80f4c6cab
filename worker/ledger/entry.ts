import { parseJson } from "../../core/parse-json.ts";
import { withoutUndefined } from "../../core/without-undefined.ts";
import type { TokenClasses } from "../../agents/token-classes.ts";
import { projectName } from "../state/project-name.ts";
import type { SessionRecord, WorkerState } from "../state/worker-state.ts";

/**
 * One line of the ledger: what a session has used since it began, all calls together, as of `at`. A later line of the
 * same session replaces an earlier one, so that a line written twice counts once and a lost one is made good by the
 * next. What is not told is left out: it is unknown, and not nothing.
 */
export type LedgerEntry = {
  v: 1;
  /** UTC in ISO form */
  at: string;
  /** mark of the session: no two sessions of any worker have the same */
  session: string;
  worker: string;
  project: string;
  agent: string;
  model?: string;
  tokens?: TokenClasses;
  /** where only the sum is told */
  totalTokens?: number;
  /** USD; the agent's own figure, else by list prices */
  costUsd?: number;
};

export const entryOf = (
  state: Pick<WorkerState, "name" | "agent" | "dir" | "worktree">,
  record: SessionRecord,
  nowMs: number,
): LedgerEntry => ({
  v: 1,
  at: new Date(nowMs).toISOString(),
  session: record.mark,
  worker: state.name,
  project: projectName(state),
  agent: record.agent ?? state.agent,
  ...withoutUndefined({
    model: record.model,
    tokens: record.tokensByClass,
    totalTokens: record.tokens,
    costUsd: record.costUsd,
  }),
});

const isText = (value: unknown): value is string => typeof value === "string";

/** Undefined for a line that a full disk or a power cut left half written, and for one of a version to come. */
export const parseEntry = (line: string): LedgerEntry | undefined => {
  const value = parseJson(line) as Partial<LedgerEntry> | null | undefined;
  const isWhole =
    value?.v === 1 &&
    [value.at, value.session, value.worker, value.project, value.agent].every(isText) &&
    !Number.isNaN(Date.parse(value.at ?? ""));
  return isWhole ? (value as LedgerEntry) : undefined;
};
