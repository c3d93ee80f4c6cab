import { plural } from "../../../core/plural.ts";
import { systemClock } from "../../../core/clock.ts";
import { workersHome } from "../../../core/paths.ts";
import type { Care } from "../../../worker/steerer/decide-care.ts";
import { type SteerPorts, type Watched, planRound } from "../../../worker/steerer/round.ts";
import { needPerson, steer } from "../../../worker/steerer/steer.ts";
import { type SteerEvent, openSteerLog } from "../../../worker/steerer/steer-log.ts";
import { type SteerSettings, steerSettings } from "../../../worker/steerer/steer-settings.ts";
import { defineCommand } from "../../command/define-command.ts";
import { loadTrustedConfig } from "../../command/read-config.ts";
import type { Reporter } from "../../command/reporter.ts";
import { createLiveView, eventLine, watchedTable } from "./live-view.ts";

const INTENTIONS: Record<Care["kind"], string> = {
  reap: "would end its orphaned processes",
  rescue: "would save uncommitted work, if there is any",
  restart: "would restart it",
  settle: "would leave it down",
};

/** Shows what a round would do; takes no lock and changes nothing. */
const showPlan = (ports: SteerPorts, settings: SteerSettings): void => {
  const plan = planRound(ports, settings);
  const tell = (worker: string, dir: string, care: Care) =>
    ports.log.tell(`would-${care.kind}`, {
      worker,
      dir,
      message: care.kind === "settle" ? `${INTENTIONS.settle}: ${care.reason}` : INTENTIONS[care.kind],
    });
  for (const { observation, cares } of plan)
    for (const care of cares) tell(observation.worker.name, observation.worker.dir, care);
  if (plan.every(({ cares }) => cares.length === 0))
    ports.log.tell("nothing-to-do", {
      message: `${plural(plan.length, "worker is", "workers are")} watched; none needs anything`,
    });
};

const summary = (watched: readonly Watched[], reporter: Reporter): void => {
  for (const line of watchedTable(watched, reporter, { columns: reporter.columns, nowMs: Date.now() }))
    reporter.text(line);
  const waiting = needPerson(watched).map(({ worker }) => worker.name);
  if (waiting.length > 0)
    reporter.note(`needs a person: ${waiting.join(", ")}; see: worker status ${waiting[0]}`);
};

export const steererCommand = defineCommand({
  description:
    "Crashed supervisors are restarted within a budget, orphaned agents ended, uncommitted work of dead sessions saved; errors and the state of projects go to the memory service. A worker that is alive is never touched. With --once, exit 1 says that a worker needs a person.",
  options: {
    dir: {
      type: "string",
      repeatable: true,
      placeholder: "path",
      complete: "folder",
      description: "Directory to watch (default: steerer.dirs of the config, else its folder)",
    },
    interval: {
      type: "number",
      minimum: 0.05,
      placeholder: "seconds",
      description: "Time between two rounds (default: steerer.intervalSeconds, else 30)",
    },
    once: { type: "boolean", description: "One round, then end; for cron and CI" },
    dryRun: { type: "boolean", description: "Say what a round would do; change nothing" },
  },
  json: "lines",
  examples: ["steerer", "steerer --dir ~/work --dir ~/oss", "steerer --once --json", "steerer --dry-run"],
  run: async ({ options }, io) => {
    const { env, cwd, reporter, signal } = io;
    const settings = steerSettings(
      { dirs: options.dir, intervalSeconds: options.interval },
      await loadTrustedConfig(io),
      { env, cwd },
    );
    const isLive = reporter.canRedraw && !reporter.isJson && !options.once && !options.dryRun;
    const { stdout } = process;
    const view = isLive
      ? createLiveView(reporter, {
          write: (text) => stdout.write(text),
          screen: () => ({ columns: stdout.columns, rows: stdout.rows }),
          dirs: settings.dirs,
        })
      : undefined;
    if (view) stdout.on("resize", view.draw);
    const home = workersHome(env);
    const onEvent = (event: SteerEvent) =>
      view ? view.showEvent(event) : reporter.answer(event, eventLine(event, reporter));
    const log = openSteerLog({ home, now: systemClock.now, onEvent }, { isDryRun: options.dryRun });
    const ports: SteerPorts = { clock: systemClock, env, fetch, home, log };
    if (options.dryRun) {
      showPlan(ports, settings);
      return true;
    }
    const watched = await steer(ports, settings, {
      isOnce: options.once,
      signal,
      onRound: (now) => view?.showRound(now),
    });
    if (!options.once) return true;
    summary(watched, reporter);
    return needPerson(watched).length === 0;
  },
});
