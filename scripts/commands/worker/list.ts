import { AppError } from "../../../core/errors.ts";
import { workersHome } from "../../../core/paths.ts";
import { currentSession, isActive } from "../../../worker/state/worker-state.ts";
import { type ListedWorker, listWorkers } from "../../../worker/state/worker-store.ts";
import { defineCommand } from "../../command/define-command.ts";
import { fit, tableRows } from "../../command/table.ts";
import { agoText } from "../../../core/people-time.ts";
import { contextText, costText, statusText, waitingText } from "./show-worker.ts";

/** What a narrow terminal does without, the first first: GATE, COST, SESSION, DIRECTORY is cut, UPDATED, CONTEXT. */
const MAY_GO = [5, 4, 2, 6, 3];

const GOES_WELL = new Set(["starting", "running", "stopping", "complete"]);

/** Why a worker is not at work and has not finished. */
const whyText = ({ status, stopReason, sessions, ...worker }: ListedWorker): string | undefined => {
  if (GOES_WELL.has(status)) return undefined;
  if (status === "waiting" && worker.waitingUntil !== undefined) return waitingText(worker);
  const reason = stopReason ?? sessions.at(-1)?.error;
  return (reason ?? (status === "crashed" ? "its supervisor is gone" : undefined))?.split("\n").join("; ");
};

export const list = defineCommand({
  options: {
    all: { type: "boolean", description: "Workers of every host that reports to the server" },
    url: {
      type: "string",
      placeholder: "address",
      description: "The server for --all; else NIGHTSHIFT_URL, the config, http://HOST:PORT",
    },
    keyFile: {
      type: "string",
      placeholder: "file",
      complete: "file",
      description: "File of its key; else MEMORY_API_KEY_FILE, nightshift login, ~/.memory-api-key",
    },
  },
  examples: [
    "worker list",
    "worker list --all",
    "worker list --json | jq '.[] | select(.status == \"crashed\") | .name'",
  ],
  run: async ({ options }, io) => {
    const { env, reporter } = io;
    if (options.all) return (await import("./list-fleet.ts")).listFleet(options, io);
    if (options.url !== undefined || options.keyFile !== undefined)
      throw new AppError("usage", "--url and --key-file name the server for: worker list --all");
    const home = workersHome(env);
    const { workers, damaged } = listWorkers(home);
    reporter.json(workers);
    const now = Date.now();
    const rows = workers.map((worker) => [
      worker.name,
      statusText(worker, reporter.style),
      `${currentSession(worker)}/${worker.max}`,
      contextText(worker),
      costText(worker),
      worker.verdict?.word === "refused" && !worker.verdict.accepted
        ? "refused"
        : (worker.lastGate?.verdict ?? "-"),
      agoText(worker.updatedAt, now),
      worker.dir,
    ]);
    if (rows.length === 0 && damaged.length === 0)
      reporter.text(`no workers in ${home}; start one with: worker start <name> --task "…"`);
    const header = ["NAME", "STATUS", "SESSION", "CONTEXT", "COST", "GATE", "UPDATED", "DIRECTORY"];
    const { style, columns } = reporter;
    const [head, ...lines] = tableRows([header.map((word) => style.dim(word)), ...rows], columns, MAY_GO);
    for (const line of rows.length > 0 ? (head ?? []) : []) reporter.text(line);
    for (const [index, worker] of workers.entries()) {
      const why = whyText(worker);
      for (const line of lines[index] ?? []) reporter.text(line);
      const { sandbox } = worker;
      if (sandbox?.kind === "none" && isActive(worker.status))
        reporter.text(style.dim(fit(`  no sandbox: ${sandbox.reason}`, columns)));
      if (why !== undefined) reporter.text(style.dim(fit(`  why: ${why}`, columns)));
    }
    for (const { problem } of damaged) reporter.note(`${reporter.style.red("damaged:")} ${problem}`);
    const crashed = workers.filter((worker) => worker.status === "crashed").map((worker) => worker.name);
    if (crashed.length > 0) reporter.note(`go on with: worker resume ${crashed[0]}`);
  },
});
