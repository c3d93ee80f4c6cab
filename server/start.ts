import { createHandler } from "./http/handler.ts";
import { createApp } from "./app.ts";
import { isLoopback } from "./http/request-info.ts";
import { listen } from "./listen.ts";
import { type Log, logFailure } from "../core/log.ts";
import { admit } from "./auth/admit.ts";
import { nameToken } from "./auth/authenticate.ts";
import { openAuth } from "./auth/open-auth.ts";
import { securityEventOf } from "./security-log/events.ts";
import { createSecurityLog } from "./security-log/recorder.ts";
import { createMetrics } from "./http/metrics.ts";
import { fleetGauges } from "./fleet/fleet-gauges.ts";
import { openStores } from "./open-stores.ts";
import { openPublishing, type PublishStep } from "./open-publishing.ts";
import { nightBodyLimit } from "./night/body-limit.ts";
import { openNight } from "./night/open-night.ts";
import { publishingBodyLimit } from "./publishing/body-limits.ts";
import { memoryBodyLimit } from "./memory/entries/import-limit.ts";
import { memoryGauges } from "./memory/memory-gauges.ts";
import { openMemory } from "./memory/open-memory.ts";
import type { Settings } from "./settings.ts";
import { tellOfApproval } from "./companion/tell-of-approval.ts";
import { readVersion } from "../core/version.ts";
import { readOriginTrialToken } from "../webmcp/origin-trial.ts";

/** A server that accepts connections. */
export type RunningServer = {
  url: string;
  port: number;
  /** Lets running requests end, then closes the database. Safe to call twice. */
  stop: () => Promise<void>;
};

/**
 * `signal` ends a start that waits for its database. `onStep` is told each step of an upload and an
 * activation; a crash test ends the process there.
 */
export type StartPorts = {
  log: Log;
  now?: () => number;
  signal?: AbortSignal;
  onStep?: (step: PublishStep) => void;
};

const GRACE_MS = 10_000;

/** Builds every port once and starts one server on them. */
export const startServer = async (
  settings: Settings,
  { log, now = Date.now, signal, onStep }: StartPorts,
): Promise<RunningServer> => {
  const startedAt = now();
  const stores = await openStores(settings, { log, now, signal, onStep });
  const opened: (() => Promise<void> | void)[] = [];
  let stopping: Promise<void> | undefined;
  try {
    const metrics = createMetrics();
    metrics.gauge("process_resident_memory_bytes", "memory that the process holds", () =>
      process.memoryUsage.rss(),
    );
    const securityLog = createSecurityLog({
      store: stores.securityLog,
      now,
      onError: (error) => logFailure(log, error, "the security log cannot be written"),
    });
    opened.push(securityLog.close);
    const auth = await openAuth(settings, {
      stores: stores.auth,
      log,
      now,
      onMade: (token) =>
        securityLog.note({
          event: "token-made",
          outcome: "ok",
          principal: "this server",
          subject: nameToken(token),
        }),
    });
    opened.push(auth.close);
    const publishing = await openPublishing({
      stores: stores.publishing,
      auth: auth.tokens,
      settings,
      log,
      now,
      onStep,
    });
    opened.push(publishing.close);
    const memory = await openMemory(settings, {
      stores: stores.memory,
      access: auth.memory,
      limiters: stores.auth.limiters,
      log,
      metrics,
      now,
    });
    opened.push(memory.close);
    const night = openNight({
      store: stores.night,
      fleet: stores.fleet,
      isShared: settings.database !== undefined,
      keepDays: settings.nightDays,
      log,
      now,
    });
    opened.push(night.close);
    metrics.collect(() => fleetGauges({ store: stores.fleet, now }));
    metrics.collect(() => memoryGauges(memory.ports));
    const app = createApp({
      log,
      auth,
      securityLog,
      publicUrl: settings.publicUrl,
      memory: memory.ports,
      publishing,
      companion: {
        approvals: stores.approvals,
        now,
        originTrialToken: settings.originTrialToken,
        tell: (approval) => tellOfApproval({ settings, log, now, url: listening.url }, approval),
      },
      fleet: { store: stores.fleet, now },
      night: night.ports,
      queue: stores.queue,
      push: { store: stores.push, now },
      backup: { ...stores.backup, now },
      system: {
        version: readVersion(),
        metrics,
        admit: (request) => admit(auth, request),
        ping: stores.ping,
        isStopping: () => stopping !== undefined,
        uptimeSeconds: () => (now() - startedAt) / 1000,
      },
    });
    const handler = createHandler({
      app,
      allowedHosts: isLoopback(settings.host)
        ? settings.allowedHosts
        : [settings.host, ...settings.allowedHosts],
      sites: publishing.sites,
      bodyLimits: [publishingBodyLimit(publishing.publishing.limits), memoryBodyLimit, nightBodyLimit],
      metrics,
      log,
      onAnswered: (request, info, status) => {
        const event = securityEventOf(request, info, status);
        return event && securityLog.note(event);
      },
      now: () => performance.now(),
    });
    const listening = await listen(handler, settings);
    if (!isLoopback(settings.host) && settings.publicUrl?.startsWith("https:") !== true)
      log.warn(
        { host: settings.host },
        "listening beyond this machine without TLS: tokens, keys and everything they read cross the network in the clear; put a TLS proxy in front and set PUBLIC_URL=https://… (docs/server.md), or bind HOST=127.0.0.1",
      );
    warnOfEndedTrial(settings, { log, now });
    const stop = async () => {
      night.release();
      await listening.stop(GRACE_MS);
      for (const close of opened) await close();
      await stores.close();
    };
    return { url: listening.url, port: listening.port, stop: () => (stopping ??= stop()) };
  } catch (error) {
    for (const close of opened) await close();
    await stores.close();
    throw error;
  }
};

const warnOfEndedTrial = (
  { originTrialToken }: Settings,
  { log, now }: { log: Log; now: () => number },
): void => {
  const end = originTrialToken === undefined ? undefined : readOriginTrialToken(originTrialToken).expiresAt;
  if (end !== undefined && end.getTime() <= now())
    log.warn(
      { ended: end.toISOString() },
      "WEBMCP_ORIGIN_TRIAL_TOKEN has ended: browsers ignore it, and WebMCP needs their flag (docs/webmcp.md)",
    );
};
