import { errorText } from "../../core/errors.ts";
import { createBudgetKeeper, type Spent } from "../ledger/budget-keeper.ts";
import type { WorkerLog } from "../state/worker-log.ts";
import type { WorkerState } from "../state/worker-state.ts";
import { type Next, spentBudget } from "./decide-next.ts";
import type { StartRequest } from "./start-request.ts";

type Ports = { home: string; now: () => number; log: Pick<WorkerLog, "line" | "event"> };

/** The budget of all workers, as the loop of one of them obeys it. */
export const createSpendingLimits = (
  { home, now, log }: Ports,
  request: Pick<StartRequest, "budget" | "agents">,
) => {
  const keeper = createBudgetKeeper({ home, now }, request);

  /** A ledger that cannot be read is no reason to end a night: it is said, and the worker's own limits still hold. */
  const orSaid = <T>(find: () => T, otherwise: T): T => {
    try {
      return find();
    } catch (error) {
      log.line(`the budget cannot be enforced: ${errorText(error)}`);
      return otherwise;
    }
  };

  const findSpent = (agent: string): Spent | undefined => orSaid(() => keeper.findSpent(agent), undefined);

  const tell = ({ words, ...ceiling }: Spent): string => {
    log.event("budget", { ...ceiling });
    return words;
  };

  return {
    /** why no session may begin now, in words; a budget of one agent alone is no reason where others stand in for it */
    refuse: ({ agent, chain }: Pick<WorkerState, "agent" | "chain">): string | undefined => {
      const spent = findSpent(agent);
      return spent && !(chain && spent.agent !== undefined) ? tell(spent) : undefined;
    },
    /** what keeps this agent, and no other, from beginning a session */
    findSpentAgent: (agent: string): Spent | undefined => {
      const spent = findSpent(agent);
      return spent?.agent === undefined ? undefined : spent;
    },
    /** a worker whose session the budget ended ends for that, and not for a limit of its own */
    after: (next: Next, state: WorkerState): Next => {
      const wasStopped = state.sessions.at(-1)?.endReason === "cost" && spentBudget(state) === undefined;
      const spent = next.kind === "end" && wasStopped ? findSpent(state.agent) : undefined;
      if (!spent) return next;
      if (state.chain && spent.agent !== undefined && state.session < state.max)
        return { kind: "continue", pauseMs: 0, remarks: [] };
      return { kind: "end", status: "stopped", reason: tell(spent) };
    },
    /** for the session that runs; undefined without a budget */
    leftFor: ({ agent, sessions }: WorkerState): ((spentUsd: number) => number) | undefined => {
      if (!keeper.isSet(agent)) return undefined;
      const left = keeper.leftFor(agent, sessions.at(-1)?.mark ?? "");
      return (spentUsd) => orSaid(() => left(spentUsd), Infinity);
    },
  };
};
