import { nightshiftHome } from "../../core/paths.ts";
import { createNotify } from "../../notify/notify.ts";
import { listWorkers } from "../state/worker-store.ts";
import { createWorkerNotices } from "../telling/worker-notices.ts";
import type { StartRequest } from "./start-request.ts";
import type { SupervisorPorts } from "./supervisor-ports.ts";

/** What a supervisor tells its person, on the channels of this user. */
export const openWorkerNotices = (
  { env, home, clock }: SupervisorPorts,
  { notify }: StartRequest,
  onProblem: (problem: string) => void,
) =>
  createWorkerNotices({
    tell: createNotify({ env, home: nightshiftHome(env), now: clock.now, onProblem }, notify),
    others: () => listWorkers(home).workers,
  });
