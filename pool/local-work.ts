import { statSync } from "node:fs";
import { systemCode } from "../core/errors.ts";
import type { LeasedSupervisor } from "../worker/start/spawn-supervisor.ts";
import { sendControl } from "../worker/state/control.ts";
import { leaseLine } from "../worker/state/lease.ts";
import { workerFiles } from "../worker/state/worker-files.ts";
import type { WorkerState } from "../worker/state/worker-state.ts";
import { findState } from "../worker/state/worker-store.ts";
import type { Work } from "./machine.ts";

type Started = {
  workersHome: string;
  name: string;
  supervisor: LeasedSupervisor;
  announced: WorkerState;
};

/** A supervisor of this machine, seen through its state file, its heartbeat and the line to it. */
export const createLocalWork = ({ workersHome, name, supervisor, announced }: Started): Work => {
  const { control, heartbeat } = workerFiles(workersHome, name);
  let state = announced;
  return {
    state: () => {
      try {
        state = findState(workersHome, name) ?? state;
      } catch {
        // A disk that cannot be read now: what was read last is the newest there is.
      }
      return state;
    },
    heartbeat: () => statSync(heartbeat, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    renew: (until) => supervisor.line.write(leaseLine(until)),
    cut: () => supervisor.line.end(),
    stop: (isNow) => {
      try {
        sendControl(control, { type: "stop", isNow });
      } catch {
        signalStop(supervisor.pid, isNow); // a full disk takes no file
      }
    },
    exited: supervisor.exited,
  };
};

const signalStop = (pid: number | undefined, isNow: boolean): void => {
  if (pid === undefined) return;
  try {
    process.kill(pid, "SIGTERM");
    if (isNow) process.kill(pid, "SIGINT"); // the second one; another kind, as equal ones may merge
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error;
  }
};
