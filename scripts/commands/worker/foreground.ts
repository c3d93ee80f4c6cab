import { plural } from "../../../core/plural.ts";
import { systemClock } from "../../../core/clock.ts";
import { workersHome } from "../../../core/paths.ts";
import { getDriver } from "../../../worker/start/find-driver.ts";
import type { StartRequest } from "../../../worker/loop/start-request.ts";
import { supervise } from "../../../worker/loop/supervise.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { toListed } from "../../../worker/state/worker-store.ts";
import type { CommandIo } from "../../command/define-command.ts";

/** Supervises in this process: a live listr2 view on a terminal, plain lines elsewhere. 0 only for `complete`. */
export const runInForeground = async (io: CommandIo, request: StartRequest): Promise<boolean> => {
  const { env, reporter, signal, insistSignal } = io;
  const home = workersHome(env);
  const isLive = reporter.canRedraw && !reporter.isJson && !env["CI"];
  const state = await supervise(
    {
      clock: systemClock,
      env,
      fetch,
      home,
      sinceMs: performance.timeOrigin,
      getDriver,
      renderer: isLive ? "default" : "silent",
      signals: { stop: signal, stopNow: insistSignal },
      onStarted: (begun) =>
        reporter.note(
          `${begun.name} works in ${begun.dir} with ${begun.agentTitle}; Ctrl-C stops it gracefully`,
        ),
      ...(isLive ? {} : { onLine: (line: string) => reporter.note(line) }),
    },
    request,
  );
  const files = workerFiles(home, state.name);
  const paint = state.status === "complete" ? reporter.style.green : reporter.style.yellow;
  reporter.answer({ ...toListed(home, state), log: files.log, state: files.state }, [
    `${paint(state.status)}: ${state.stopReason ?? ""} (${plural(state.session, "session")})`,
    `  log       ${files.log}`,
    `  state     ${files.state}`,
    `  handoffs  ${files.handoffs}`,
  ]);
  return state.status === "complete";
};
