import { nightshiftHome } from "../../core/paths.ts";
import { createNotify } from "../../notify/notify.ts";
import { listWorkers } from "../state/worker-store.ts";
import type { WorkerState } from "../state/worker-state.ts";
import type { Reporter } from "../telling/reporter.ts";
import { createWorkerNotices } from "../telling/worker-notices.ts";
import type { StartRequest } from "./start-request.ts";
import type { SupervisorPorts } from "./supervisor-ports.ts";

/** Whatever the server is told, a person may want to know, too: on the channels of this user. */
export const withNotices = (
  reporter: Reporter,
  { env, home, clock }: Pick<SupervisorPorts, "env" | "home" | "clock">,
  { notify }: Pick<StartRequest, "notify">,
  onProblem: (problem: string) => void,
): Reporter => {
  const notices = createWorkerNotices({
    tell: createNotify({ env, home: nightshiftHome(env), now: clock.now, onProblem }, notify),
    others: () => listWorkers(home).workers,
  });
  let latest: WorkerState | undefined;
  return {
    ...reporter,
    tell: (state) => {
      // What was used before this supervisor began was told by the one before it.
      if (latest) notices.state(state);
      else notices.begin(state);
      latest = state;
      reporter.tell(state);
    },
    event: (type, data) => {
      if (latest) notices.event(latest, type, data);
      reporter.event(type, data);
    },
  };
};
