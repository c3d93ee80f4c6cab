import { basename } from "node:path";
import { plural } from "../../core/plural.ts";
import type { Happening } from "../../core/happenings.ts";
import type { NewNotice } from "../../notify/notify.ts";
import {
  isActive,
  spentBy,
  type ShownStatus,
  type WorkerState,
  type WorkerStatus,
} from "../state/worker-state.ts";

const ENDED: Partial<Record<WorkerStatus, Happening>> = {
  complete: "complete",
  unverified: "unverified",
  "max-reached": "stalled",
  stalled: "stalled",
  failed: "failed",
};

/** Shares of `limits.costUsd` at which somebody should know. */
const BUDGET_STEPS = [80, 100] as const;

type Other = { name: string; status: ShownStatus; endedAt?: string };

type Ports = {
  tell: (notice: NewNotice) => void;
  /** all workers of this user, as they are now */
  others: () => readonly Other[];
};

const project = ({ dir, worktree }: WorkerState): string => basename(worktree?.repository ?? dir);

const figures = ({ sessions, costUsd }: Pick<WorkerState, "sessions" | "costUsd">): string =>
  `${plural(sessions.length, "session")}${costUsd > 0 ? `, $${costUsd.toFixed(2)}` : ""}`;

/** "2 complete, 1 failed", of the workers that ended since the one before them did. */
const countOf = (others: readonly Other[]): string => {
  const counts = new Map<string, number>();
  for (const { status } of others) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
};

const orderOf = ({ endedAt, name }: Other): string => `${endedAt} ${name}`;

/** What of a worker's life its person is told, each once. */
export const createWorkerNotices = ({ tell, others }: Ports) => {
  let reached = 0;
  let waitsUntil: unknown;

  const about = (state: WorkerState) => ({ worker: state.name, project: project(state) });

  const budget = (state: WorkerState): void => {
    const limit = state.limits.costUsd;
    if (limit === undefined) return;
    const spent = spentBy(state.sessions).costUsd;
    const step = BUDGET_STEPS.findLast((percent) => spent * 100 >= limit * percent) ?? 0;
    if (step <= reached) return;
    reached = step;
    tell({
      happening: "budget",
      title: `${state.name}: ${step} % of its budget is used`,
      text: `$${spent.toFixed(2)} of $${limit.toFixed(2)} in ${project(state)}.${step === 100 ? " It begins no further session." : ""}`,
      ...about(state),
    });
  };

  const end = (state: WorkerState, reason: string): void => {
    const happening = ENDED[state.status];
    if (happening)
      tell({
        happening,
        title: `${state.name}: ${state.status}`,
        text: `${reason}\n${figures(state)} in ${project(state)}`,
        ...about(state),
      });
    const all = others();
    const night = all.filter(({ endedAt }) => endedAt !== undefined && endedAt >= state.startedAt);
    // Of two that end in the same moment, one says it.
    const last = night.toSorted((a, b) => orderOf(a).localeCompare(orderOf(b))).at(-1);
    if (night.length < 2 || last?.name !== state.name) return;
    if (all.some(({ name, status }) => name !== state.name && isActive(status))) return;
    tell({
      happening: "all-done",
      title: `all workers have ended: ${countOf(night)}`,
      text: night.map(({ name, status }) => `- ${name}: ${status}`).join("\n"),
    });
  };

  return {
    /** told whenever the state changes */
    state: budget,
    /** what was used before this supervisor began was told by the one before it */
    begin: (state: WorkerState): void => {
      const limit = state.limits.costUsd ?? Infinity;
      reached = BUDGET_STEPS.findLast((percent) => state.costUsd * 100 >= limit * percent) ?? 0;
    },
    /** told of each event of the worker */
    event: (state: WorkerState, type: string, data: Readonly<Record<string, unknown>>): void => {
      if (type === "end") end(state, typeof data["reason"] === "string" ? data["reason"] : "");
      if (type === "budget")
        tell({
          happening: "budget",
          title: `${state.name}: stopped, the budget of all workers is used`,
          text: `$${Number(data["spentUsd"]).toFixed(2)} of $${Number(data["limitUsd"]).toFixed(2)} of this ${String(data["period"])} are used.`,
          ...about(state),
        });
      if (type !== "decision" || data["kind"] !== "wait" || data["untilMs"] === waitsUntil) return;
      waitsUntil = data["untilMs"];
      const { reason, untilMs } = data;
      const until = typeof untilMs === "number" ? new Date(untilMs).toISOString() : "it passes";
      tell({
        happening: "rate-limit",
        title: `${state.name}: waiting for ${String(reason)}`,
        text: `Until ${until}, in ${project(state)}.`,
        ...about(state),
      });
    },
  };
};
