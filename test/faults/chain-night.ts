import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, Driver, DriverSession, SessionRequest } from "../../agents/driver.ts";
import { scriptedDriver } from "../../agents/scripted/driver.ts";
import type { Spending } from "../../agents/spending.ts";
import { type TokenClasses, addTokens, contextTokensOf } from "../../agents/token-classes.ts";
import { supervise } from "../../worker/loop/supervise.ts";
import type { WorkerState } from "../../worker/state/worker-state.ts";
import { createRandom, pick } from "../random.ts";
import type { Night } from "./night.ts";
import { QuietClock } from "./quiet-clock.ts";

/** What goes wrong at a boundary between two tools, or in the middle of one. */
export const FATES = ["limit", "outage", "limit in a tool", "outage in a tool", "handoff"] as const;
export type Fate = (typeof FATES)[number];

/** Which ceiling a night has. */
export const CEILINGS = ["none", "worker", "all", "agent"] as const;
export type CeilingKind = (typeof CEILINGS)[number];

export type Vendor = "a" | "b";
type Call = { vendor: Vendor; atMs: number; costUsd: number };

/** What the model was asked for, and what the tools did to the world. */
export type Account = {
  state: WorkerState;
  asked: Record<Vendor, { tokens: TokenClasses; costUsd: number }>;
  calls: Call[];
  /** the steps whose effect happened, in that order */
  effects: number[];
  /** calls that were begun although a ceiling had been reached */
  callsOver: number;
  /** where what went wrong: "limit at 3" */
  met: string[];
  /** before which steps the first agent took over again when its limit had been reset */
  resets: number[];
  vendors: Vendor[];
};

export type ChainPlan = {
  seed: number;
  steps: number;
  first: { at: number; fate: Fate };
  /** before this step the second agent waits until the first can work again, and hands over to it */
  handBackAt?: number;
  ceiling: CeilingKind;
};

const MINUTE_MS = 60_000;
const LONGEST_LIMIT_MS = 90 * MINUTE_MS;
const NO_TOKENS: TokenClasses = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** The night that a time is in, from noon to noon. */
const nightOf = (timeMs: number): string => new Date(timeMs - 12 * 60 * MINUTE_MS).toDateString();

/** What an agent knows of the steps: from the prompt alone, as another vendor's agent would. */
const readPrompt = (prompt: string) => {
  const done = new Set<number>();
  const open = new Set<number>();
  for (const [, upTo] of prompt.matchAll(/done up to step (\d+)/g))
    for (let step = 1; step <= Number(upTo); step++) done.add(step);
  for (const [, step, rest = ""] of prompt.matchAll(/^- session \d+: run step (\d+)(.*)$/gm))
    (rest === "" ? done : open).add(Number(step));
  return { done, open };
};

/**
 * A worker whose chain is two agents in this process, on a model that is scripted by a seed: every step is a call of
 * the model and then a tool whose effect shows when it happens twice. An agent knows what was done from its prompt.
 */
export const playChain = async (night: Night, plan: ChainPlan): Promise<Account> => {
  const random = createRandom(plan.seed);
  const quiet = new QuietClock();
  const { clock } = quiet;
  const name = `w${plan.seed}`;
  const dir = join(night.root, name);
  mkdirSync(dir);
  const effectsFile = join(dir, "effects.txt");
  const effects = (): number[] =>
    existsSync(effectsFile) ? readFileSync(effectsFile, "utf8").trim().split("\n").map(Number) : [];
  const account: Omit<Account, "state" | "effects"> = {
    asked: { a: { tokens: NO_TOKENS, costUsd: 0 }, b: { tokens: NO_TOKENS, costUsd: 0 } },
    calls: [],
    callsOver: 0,
    met: [],
    resets: [],
    vendors: [],
  };
  const limitUsd = 0.3 + 1.5 * random();
  let boundary = 0;
  let isLimited = false;
  let hasHandedBack = false;

  const fateAt = (): Fate | undefined => {
    const at = boundary++;
    const fate = at === plan.first.at ? plan.first.fate : random() < 0.15 ? pick(random, FATES) : undefined;
    if (fate) account.met.push(`${fate} at ${at}`);
    return fate;
  };

  const isOver = (vendor: Vendor): boolean => {
    const counted = account.calls.filter((call) => {
      if (plan.ceiling === "worker") return true;
      const isTonight = nightOf(call.atMs) === nightOf(clock.now());
      return plan.ceiling === "all"
        ? isTonight
        : plan.ceiling === "agent" && call.vendor === "a" && isTonight;
    });
    if (plan.ceiling === "agent" && vendor !== "a") return false;
    return plan.ceiling !== "none" && counted.reduce((sum, { costUsd }) => sum + costUsd, 0) >= limitUsd;
  };

  /** One call of the model: what it costs is known when it has answered. */
  const call = async (vendor: Vendor): Promise<{ tokens: TokenClasses; costUsd: number }> => {
    if (isOver(vendor)) account.callsOver++;
    const count = (most: number) => Math.floor(random() * most);
    const output = 10 + count(500);
    const input = count(2_000);
    const tokens: TokenClasses = {
      input,
      cacheRead: count(50_000),
      cacheWrite: count(3_000),
      output,
      reasoning: Math.floor(output / 2),
      ...(vendor === "a" ? { subAgents: Math.floor(input / 3) } : {}),
    };
    const costUsd = random() / 4;
    await clock.sleep(MINUTE_MS * (1 + 10 * random()));
    account.calls.push({ vendor, atMs: clock.now(), costUsd });
    const { asked } = account;
    asked[vendor] = {
      tokens: addTokens(asked[vendor].tokens, tokens),
      costUsd: asked[vendor].costUsd + costUsd,
    };
    return { tokens, costUsd };
  };

  const failure = (fate: Fate): AgentEvent[] =>
    fate.startsWith("limit")
      ? [
          {
            type: "rate-limit",
            message: "5-hour limit",
            resetsAtMs: clock.now() + LONGEST_LIMIT_MS * random(),
          },
          { type: "ended", reason: "rate-limit", lastText: "", message: "5-hour limit" },
        ]
      : [{ type: "ended", reason: "error", lastText: "", message: "API Error: 529 overloaded_error" }];

  const createAgent = (vendor: Vendor): Driver => ({
    ...scriptedDriver,
    id: vendor,
    title: vendor.toUpperCase(),
    find: async () => true,
    describe: () => ({ command: vendor, args: [] }),
    start: async ({ prompt }: SessionRequest): Promise<DriverSession> => {
      const isReturn = vendor === "a" && isLimited && account.vendors.at(-1) === "b";
      if (vendor === "a") isLimited = false;
      account.vendors.push(vendor);
      const { done, open } = readPrompt(prompt);
      const world = new Set(effects());
      for (const step of open) if (world.has(step)) done.add(step);
      const over = new AbortController();
      let used: { tokens: TokenClasses; costUsd: number } | undefined;
      const spending = (): Spending =>
        used
          ? {
              totalCostUsd: used.costUsd,
              totalTokens: contextTokensOf(used.tokens),
              tokensByClass: used.tokens,
            }
          : {};
      const upTo = () => {
        let last = 0;
        while (done.has(last + 1)) last++;
        return last;
      };
      const handOver = (): AgentEvent => ({
        type: "ended",
        reason: "completed",
        lastText: `HANDOFF: done up to step ${upTo()}`,
        ...spending(),
      });
      if (isReturn) account.resets.push(upTo() + 1);
      const fail = (fate: Fate): AgentEvent[] => {
        if (vendor === "a") isLimited = fate.startsWith("limit");
        return failure(fate);
      };
      async function* play(): AsyncGenerator<AgentEvent> {
        yield { type: "started", conversationId: `${vendor}-${account.vendors.length}`, model: vendor };
        for (let step = 1; step <= plan.steps; step++) {
          if (done.has(step)) continue;
          if (vendor === "b" && step === plan.handBackAt && isLimited && !hasHandedBack) {
            hasHandedBack = true;
            yield { type: "tool-start", id: "wait", name: "wait", summary: "for the reset" };
            await clock.sleep(LONGEST_LIMIT_MS);
            yield { type: "tool-end", id: "wait", isError: false };
            return yield handOver();
          }
          const fate = fateAt();
          if (fate === "limit" || fate === "outage") return yield* fail(fate);
          if (fate === "handoff") return yield handOver();
          const { tokens, costUsd } = await call(vendor);
          used = {
            tokens: addTokens(used?.tokens ?? NO_TOKENS, tokens),
            costUsd: (used?.costUsd ?? 0) + costUsd,
          };
          yield {
            type: "usage",
            contextTokens: 1_000 * step,
            windowTokens: 200_000,
            source: "live",
            ...spending(),
          };
          if (over.signal.aborted) break;
          yield { type: "tool-start", id: `${vendor}${boundary}`, name: "run", summary: `step ${step}` };
          if (fate && random() < 0.5) return yield* fail(fate); // before its effect
          appendFileSync(effectsFile, `${step}\n`);
          if (fate) return yield* fail(fate); // after it
          done.add(step);
          yield { type: "tool-end", id: `${vendor}${boundary}`, isError: false };
        }
        const isDone = upTo() === plan.steps;
        const lastText = isDone ? "DONE: every step" : `HANDOFF: done up to step ${upTo()}`;
        yield { type: "text", text: lastText };
        yield { type: "ended", reason: isDone ? "completed" : "interrupted", lastText, ...spending() };
      }
      return {
        events: play(),
        child: undefined,
        stopGently: async () => over.abort(),
        askForNote: async () => undefined,
        spent: spending,
        end: async () => over.abort(),
      };
    },
  });

  const drivers: Record<Vendor, Driver> = { a: createAgent("a"), b: createAgent("b") };
  night.config = plan.ceiling === "all" ? { budget: { perNightUsd: limitUsd } } : {};
  const request = await night.plan({
    name,
    parts: [{ steps: [] }],
    max: 1_000,
    done: { gates: false, cleanTree: false },
    limits: {
      stalledSessions: 1_000,
      sessionMinutes: 1_000, // what a call costs that is cut off in the middle, nobody tells
      ...(plan.ceiling === "worker" ? { costUsd: limitUsd } : {}),
    },
  });
  const budget = plan.ceiling === "agent" ? { budget: { perNightUsd: limitUsd } } : {};
  let hasEnded = false;
  const ended = supervise(
    {
      clock,
      env: night.env,
      fetch,
      home: night.home,
      sinceMs: clock.now(),
      getDriver: async (agent) => drivers[agent as Vendor],
      renderer: "silent",
      signals: { stop: new AbortController().signal, stopNow: new AbortController().signal },
      onStarted: () => undefined,
    },
    { ...request, agent: "a", chain: [{ agent: "a" }, { agent: "b" }], agents: { a: budget, b: {} } },
  ).finally(() => (hasEnded = true));
  await Promise.race([ended, quiet.run(Infinity, () => hasEnded)]);
  return { ...account, state: await ended, effects: effects() };
};
