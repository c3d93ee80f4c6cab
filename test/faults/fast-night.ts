import { appendFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { AgentEvent, Driver, DriverSession, SessionRequest } from "../../agents/driver.ts";
import { scriptedDriver } from "../../agents/scripted/driver.ts";
import { supervise } from "../../worker/loop/supervise.ts";
import { createRandom } from "../random.ts";
import type { Night } from "./night.ts";
import { QuietClock } from "./quiet-clock.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

export type Moment = { hours: number; heapKiB: number; mostFilesKiB: number; sessions: number };

const bytesBelow = (path: string): number => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
};

/** What goes wrong in a session, by chance. */
type Fate = "works" | "rate-limit" | "outage" | "cut off";

/**
 * An agent in this process: 20 tools and texts in as many minutes, tokens that grow, then a handoff; or a limit with
 * a reset, or a model that is away.
 */
const createAgent = ({ clock }: QuietClock, random: () => number): Driver => ({
  ...scriptedDriver,
  find: async () => true,
  describe: () => ({ command: "agent", args: [] }),
  start: async ({ dir }: SessionRequest): Promise<DriverSession> => {
    const chance = random();
    const fate: Fate =
      chance < 0.1 ? "rate-limit" : chance < 0.2 ? "outage" : chance < 0.25 ? "cut off" : "works";
    const over = new AbortController();
    async function* play(): AsyncGenerator<AgentEvent> {
      yield { type: "started", conversationId: "fast", model: "fast" };
      if (fate === "rate-limit") {
        const resetsAtMs = clock.now() + HOUR_MS * random();
        yield { type: "rate-limit", message: "5-hour limit", resetsAtMs };
        yield { type: "ended", reason: "rate-limit", lastText: "", message: "5-hour limit" };
        return;
      }
      for (let step = 1; step <= 20 && !over.signal.aborted; step++) {
        if (fate === "outage") break;
        yield { type: "tool-start", id: String(step), name: "run", summary: `npm test ${step}` };
        await clock.sleep(MINUTE_MS * 2 * random(), over.signal);
        yield { type: "tool-end", id: String(step), isError: false };
        yield { type: "text", text: `Step ${step}: ${"what I found and what I do next. ".repeat(60)}` };
        yield { type: "usage", contextTokens: 5_000 * step, windowTokens: 200_000, source: "live" };
        if (fate === "cut off" && step === 10) break;
      }
      appendFileSync(join(dir, "work.txt"), `${clock.now()}\n`);
      if (fate === "works" || over.signal.aborted)
        yield { type: "ended", reason: "completed", lastText: "HANDOFF: half of it", exitCode: 0 };
      else
        yield {
          type: "ended",
          reason: "error",
          lastText: "",
          message: "API Error: connect ECONNREFUSED 127.0.0.1:4010",
        };
    }
    return {
      events: play(),
      child: undefined,
      stopGently: async () => over.abort(),
      askForNote: async () => undefined,
      spent: () => ({}),
      end: async () => over.abort(),
    };
  },
});

/**
 * Supervisors in this process for some hours of a clock of their own, among rate limits, outages, a clock that is set
 * by up to an hour both ways, and a machine that sleeps. Measured at every full hour.
 */
export const playNight = async (
  night: Night,
  {
    workers,
    hours,
    seed,
    onHour,
  }: { workers: number; hours: number; seed: number; onHour?: (hour: number) => void },
): Promise<Moment[]> => {
  const random = createRandom(seed);
  const quiet = new QuietClock();
  const names = Array.from({ length: workers }, (_, index) => `w${index + 1}`);
  const stops: AbortController[] = [];
  let ended = 0;
  const ends = [];
  for (const name of names) {
    const request = await night.plan({
      name,
      parts: [{ steps: [] }],
      max: 100_000,
      limits: { stalledSessions: 100_000, sameErrors: 100_000, backoffSeconds: 30 },
    });
    const agent = createAgent(quiet, random);
    const stopNow = new AbortController();
    stops.push(stopNow);
    ends.push(
      supervise(
        {
          clock: quiet.clock,
          env: night.env,
          fetch,
          home: night.home,
          sinceMs: quiet.clock.now(),
          getDriver: async () => agent,
          renderer: "silent",
          signals: { stop: new AbortController().signal, stopNow: stopNow.signal },
          onStarted: () => undefined,
        },
        request,
      ).finally(() => ended++),
    );
  }
  const allEnded = Promise.all(ends);
  allEnded.catch(() => undefined); // told below
  const moments: Moment[] = [];
  for (let hour = 1; hour <= hours; hour++) {
    await quiet.run(hour * HOUR_MS, () => ended > 0);
    if (ended > 0) break;
    collectGarbage();
    moments.push({
      hours: hour,
      heapKiB: Math.round(process.memoryUsage().heapUsed / 1024),
      mostFilesKiB: Math.round(
        Math.max(
          ...names.map((name) =>
            readdirSync(night.home)
              .filter((file) => file === name || file.startsWith(`${name}.`))
              .reduce((sum, file) => sum + bytesBelow(join(night.home, file)), 0),
          ),
        ) / 1024,
      ),
      sessions: names.reduce((sum, name) => sum + night.worker(name).sessions.length, 0),
    });
    // Set by hand, or the machine slept: the day goes on, spans do not.
    if (hour % 3 === 0) quiet.step((random() * 2 - 1) * HOUR_MS);
    if (hour % 4 === 0) quiet.step(HOUR_MS);
    onHour?.(hour);
  }
  for (const stop of stops) stop.abort();
  await Promise.race([allEnded, quiet.run(Infinity, () => ended === workers)]);
  await allEnded;
  return moments;
};
