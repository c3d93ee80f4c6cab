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
      log.line(`the budget cannot be kept: ${errorText(error)}`);
      return otherwise;
    }
  };

  const findSpent = (agent: string): Spent | undefined => orSaid(() => keeper.findSpent(agent), undefined);

  const tell = ({ words, ...ceiling }: Spent): string => {
    log.event("budget", { ...ceiling });
    return words;
  };

  return {
    /** why no session may begin now, in words */
    refuse: ({ agent }: Pick<WorkerState, "agent">): string | undefined => {
      const spent = findSpent(agent);
      return spent && tell(spent);
    },
    /** a worker whose session the budget ended ends for that, and not for a limit of its own */
    after: (next: Next, state: WorkerState): Next => {
      const wasStopped = state.sessions.at(-1)?.endReason === "cost" && spentBudget(state) === undefined;
      const spent = next.kind === "end" && wasStopped ? findSpent(state.agent) : undefined;
      return spent ? { kind: "end", status: "stopped", reason: tell(spent) } : next;
    },
    /** for the session that runs; undefined without a budget */
    leftFor: ({ agent, sessions }: WorkerState): ((spentUsd: number) => number) | undefined => {
      if (!keeper.isSet(agent)) return undefined;
      const left = keeper.leftFor(agent, sessions.at(-1)?.mark ?? "");
      return (spentUsd) => orSaid(() => left(spentUsd), Infinity);
    },
  };
};
