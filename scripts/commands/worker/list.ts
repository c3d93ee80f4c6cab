import { AppError } from "../../../core/errors.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { currentSession } from "../../../worker/state/worker-state.ts";
import { listWorkers } from "../../../worker/state/worker-store.ts";
import { defineCommand } from "../../command/define-command.ts";
import { table } from "../../command/reporter.ts";
import { ago, contextText, costText, statusText } from "./show-worker.ts";

export const list = defineCommand({
  args: [],
  options: {
    all: { type: "boolean", description: "Of every host that reports to the server, not only of this one" },
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
  json: "document",
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
      worker.lastGate?.verdict ?? "-",
      ago(worker.updatedAt, now),
      worker.dir,
    ]);
    if (rows.length === 0 && damaged.length === 0)
      reporter.text(`no workers in ${home}; start one with: worker start <name> --task "…"`);
    const header = ["NAME", "STATUS", "SESSION", "CONTEXT", "COST", "GATE", "UPDATED", "DIRECTORY"];
    if (rows.length > 0)
      for (const line of table([header.map((word) => reporter.style.dim(word)), ...rows], reporter.columns))
        reporter.text(line);
    for (const { problem } of damaged) reporter.note(`${reporter.style.red("damaged:")} ${problem}`);
    const crashed = workers.filter((worker) => worker.status === "crashed").map((worker) => worker.name);
    if (crashed.length > 0) reporter.note(`go on with: worker resume ${crashed[0]}`);
    return EXIT.yes;
  },
});
