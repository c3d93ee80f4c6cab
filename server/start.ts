import { createApp } from "./app.ts";
import { openDatabase } from "./db/open-database.ts";
import { createHandler } from "./handler.ts";
import { isLoopback } from "./request-info.ts";
import { listen } from "./listen.ts";
import type { Log } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import type { Settings } from "./settings.ts";
import { VERSION } from "./version.ts";

/** A server that accepts connections. */
export type RunningServer = {
  url: string;
  port: number;
  /** Lets running requests end, then closes the database. Safe to call twice. */
  stop: () => Promise<void>;
};

const GRACE_MS = 10_000;

/** Builds every port once and starts one server on them. */
export const startServer = async (
  settings: Settings,
  { log, now = Date.now }: { log: Log; now?: () => number },
): Promise<RunningServer> => {
  const startedAt = now();
  const db = openDatabase(settings.home, { now });
  let stopping: Promise<void> | undefined;
  try {
    const metrics = createMetrics();
    const app = createApp({
      log,
      system: {
        version: VERSION,
        metrics,
        ping: async () => {
          db.get("SELECT 1");
        },
        isStopping: () => stopping !== undefined,
        uptimeSeconds: () => (now() - startedAt) / 1000,
      },
    });
    const handler = createHandler({
      app,
      allowedHosts: isLoopback(settings.host)
        ? settings.allowedHosts
        : [settings.host, ...settings.allowedHosts],
      bodyLimits: [],
      metrics,
      log,
      now: () => performance.now(),
    });
    const listening = await listen(handler, settings);
    const stop = async () => {
      await listening.stop(GRACE_MS);
      await db.settled();
      db.close();
    };
    return { url: listening.url, port: listening.port, stop: () => (stopping ??= stop()) };
  } catch (error) {
    db.close();
    throw error;
  }
};
