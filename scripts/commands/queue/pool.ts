import { join } from "node:path";
import { systemClock } from "../../../core/clock.ts";
import { AppError } from "../../../core/errors.ts";
import { hostName } from "../../../core/host-name.ts";
import { nightshiftHome, workersHome } from "../../../core/paths.ts";
import { uptimeMs } from "../../../core/uptime.ts";
import { databaseUrl, openQueue } from "../../../queue/open-queue.ts";
import { createLocalMachine } from "../../../pool/local-machine.ts";
import { Pool } from "../../../pool/pool.ts";
import { POOL_TIMES, type PoolEvent, type Tell } from "../../../pool/pool-ports.ts";
import { createPostgresStore } from "../../../queue/postgres-store.ts";
import { SANDBOX_MODES, planSandbox } from "../../../sandbox/settings.ts";
import { agreeToSandbox } from "../../../worker/start/agree-to-sandbox.ts";
import { createSilentLog } from "../../../core/log.ts";
import { defineCommand } from "../../command/define-command.ts";
import { askForTrust, loadTrustedConfig } from "../../command/read-config.ts";
import { timeText } from "../../../core/people-time.ts";
import type { Reporter } from "../../command/reporter.ts";
import { fit } from "../../command/table.ts";

const DAY_MS = 86_400_000;
const MEBIBYTE = 1024 * 1024;
const CONNECTIONS = 4;

const eventLine = (event: PoolEvent, { style, isTerminal, columns }: Reporter): string => {
  const { at, type, task, worker, message } = event;
  const who = task === undefined ? "" : `task ${task}${worker === undefined ? "" : ` (${worker})`}: `;
  const line = `${timeText(at)} ${who}${type === "taken" ? "taken, " : ""}${message.split("\n").join("; ")}`;
  const text = isTerminal ? fit(line, columns) : line;
  if (["problem", "lost", "broken off"].includes(type)) return style.red(text);
  if (type === "ended")
    return /^(?:complete|cancelled)/.test(message) ? style.green(text) : style.yellow(text);
  return type === "draining" || type === "given back" ? style.yellow(text) : text;
};

export const pool = defineCommand({
  description:
    "Run one on each machine. SIGTERM or Ctrl-C drains: nothing more is taken, what runs may end within --drain-minutes and hands over then; a second one stops now. The database is DATABASE_URL.",
  options: {
    slots: {
      type: "integer",
      minimum: 1,
      maximum: 256,
      default: 1,
      placeholder: "n",
      description: "Tasks at the same time",
    },
    drainMinutes: {
      type: "number",
      minimum: 0,
      maximum: 10_080,
      default: 60,
      placeholder: "minutes",
      description: "How long running tasks may continue after the first signal",
    },
    prepareMinutes: {
      type: "number",
      minimum: 0.01,
      maximum: 1440,
      default: 30,
      placeholder: "minutes",
      description: "How long cloning and the other preparations may take",
    },
    leaseSeconds: {
      type: "number",
      minimum: 3,
      maximum: 3600,
      default: 60,
      placeholder: "seconds",
      description: "How long it may stay silent before other hosts take over its tasks",
    },
    minMemory: {
      type: "integer",
      minimum: 0,
      default: 512,
      placeholder: "MiB",
      description: "Free memory needed to take a task",
    },
    minDisk: {
      type: "integer",
      minimum: 0,
      default: 1024,
      placeholder: "MiB",
      description: "Free disk space needed to take a task",
    },
    keepDays: {
      type: "integer",
      minimum: 1,
      maximum: 36_500,
      default: 30,
      placeholder: "days",
      description: "How long the queue remembers a task after its end; of several pools the shortest counts",
    },
    sandbox: {
      type: "string",
      choices: SANDBOX_MODES,
      description: "What holds the sessions of its tasks (default: as this folder's config says, else auto)",
    },
    untilIdle: { type: "boolean", description: "Exit when nothing is running and the queue is empty" },
  },
  json: "lines",
  examples: ["nightshift pool --slots 4", "nightshift pool --slots 2 --until-idle"],
  run: async ({ options }, io) => {
    const { env, cwd, reporter, signal, insistSignal } = io;
    // Asked now, while somebody is there; each task looks again.
    const loaded = await loadTrustedConfig(io);
    await agreeToSandbox({ by: "record", env, ask: askForTrust(io) }, loaded);
    const sandbox = planSandbox(loaded.config, {
      root: loaded.root,
      env,
      mode: options.sandbox,
    });
    const host = hostName(env);
    const queue = await openWhenThere(databaseUrl(env), { signal, note: reporter.note });
    try {
      const name = `${host}-${process.pid}`;
      const tell: Tell = (told) => {
        const event: PoolEvent = { at: new Date().toISOString(), ...told };
        reporter.answer(event, eventLine(event, reporter));
      };
      const machine = createLocalMachine({
        clock: systemClock,
        env,
        cwd,
        workersHome: workersHome(env),
        poolHome: join(nightshiftHome(env), "pool"),
        queueId: queue.id,
        host,
        pool: name,
        room: {
          minFreeMemoryBytes: options.minMemory * MEBIBYTE,
          minFreeDiskBytes: options.minDisk * MEBIBYTE,
        },
        sandbox,
        tell,
      });
      const leaseMs = options.leaseSeconds * 1000;
      const pool = new Pool(
        { clock: systemClock, uptimeMs, store: createPostgresStore(queue), machine, tell },
        {
          ...POOL_TIMES,
          name,
          host,
          slots: options.slots,
          keepMs: options.keepDays * DAY_MS,
          leaseMs,
          drainMs: options.drainMinutes * 60_000,
          prepareMs: options.prepareMinutes * 60_000,
          // It is told of each renewal, and these are as far apart as the lease is long.
          patienceMs: Math.max(POOL_TIMES.patienceMs, leaseMs),
          isUntilIdle: options.untilIdle,
        },
        { drain: signal, now: insistSignal },
      );
      await pool.run();
    } finally {
      await queue.close();
    }
  },
});

const WAIT_MS = 10_000;

/** A machine that starts before its database waits for it; a refusal (password, name) ends it. */
const openWhenThere = async (
  url: string,
  { signal, note }: { signal: AbortSignal; note: (line: string) => void },
) => {
  for (let isSaid = false; ; isSaid = true) {
    try {
      return await openQueue({ url, poolSize: CONNECTIONS, waitMs: WAIT_MS }, { log: createSilentLog() });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable" || signal.aborted) throw error;
      if (!isSaid) note(`waiting: ${error.message}`);
    }
  }
};
