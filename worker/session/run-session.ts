import { withoutUndefined } from "../../core/without-undefined.ts";
import { isInterruption } from "../../core/errors.ts";
import type { SessionRecord } from "../state/worker-state.ts";
import { closeSession, compareWork, describeWork, readWork } from "./close-session.ts";
import { describeHealth, describeProgress, describeUsage } from "./describe.ts";
import type { HealthReport } from "./health.ts";
import type { MemoryAnswer } from "./memory-client.ts";
import {
  type Saved,
  checkHealth,
  readPast,
  reap,
  injectMemory,
  saveWork,
  tellHealth,
  writePrompt,
} from "./prepare-session.ts";
import { type Ran, runAgent, skipAgent } from "./run-agent.ts";
import type { SessionInput, SessionOutcome, SessionPorts } from "./session-ports.ts";
import { type ShowStep, showSteps } from "./show-steps.ts";

const PREPARATION = ["Gates", "Memory", "Past conversations", "Prompt"] as const;
const REAP = "End what an earlier session left running";
const RESCUE = "Save uncommitted work";
type Title = (typeof PREPARATION)[number] | typeof REAP | typeof RESCUE | "Agent" | "Work" | "Verdict";
const TITLES: readonly Title[] = [REAP, RESCUE, ...PREPARATION, "Agent", "Work", "Verdict"];

type Run = { ports: SessionPorts; input: SessionInput; step: ShowStep<Title> };

/**
 * One session of a worker, shown as a pipeline: reap, rescue, gates, memory, past conversations, prompt, agent,
 * work, verdict. Each step answers with what it found; nothing is begun for an agent that a stop keeps from
 * working.
 */
export const runSession = async (ports: SessionPorts, input: SessionInput): Promise<SessionOutcome> =>
  showSteps(
    { renderer: ports.renderer, titles: TITLES, skipped: "skipped: stop requested" },
    async (step) => {
      await step(REAP, (shown) => reap(ports, input, shown));
      const saved = await step(RESCUE, (shown) => orStopped(saveWork(ports, input, shown)));
      const run = { ports, input: { ...input, record: withSaved(input.record, saved) }, step };
      ports.onProgress(run.input.record);
      const prepared = saved && (await prepare(run, saved));
      const ran = prepared ? await work(run, prepared) : skipAgent(ports, run.input);
      const done = await step("Work", async (shown) => {
        const found = await compareWork(ports, saved?.before, await readWork(ports, input));
        shown.title = describeWork(found);
        return found;
      });
      const end = await step("Verdict", (shown) =>
        closeSession(ports, input, { ran, saved, work: done }, shown),
      );
      return { ...end, memory: prepared?.memory };
    },
  );

/** What is known before the agent begins, so that a crash can be told from it. */
const withSaved = (record: SessionRecord, saved: Saved | undefined): SessionRecord => {
  const ref = saved?.rescue?.saved[0]?.ref;
  const head = saved?.before.git?.head;
  return {
    ...record,
    ...withoutUndefined({ rescueRef: ref, headBefore: head }),
  };
};

/** Undefined for what a stop cut short. */
const orStopped = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isInterruption(error)) return undefined;
    throw error;
  });

type Prepared = { prompt: string; health: HealthReport; memory: MemoryAnswer | undefined };

/** Everything that the agent is told; undefined once a stop was asked for. */
const prepare = async ({ ports, input, step }: Run, saved: Saved): Promise<Prepared | undefined> => {
  const { stop } = ports;
  if (stop.asked.aborted) return undefined;
  const asked = ports.recallPast({ state: input.state, handoffs: ports.files.handoffs });
  const health = await step("Gates", async (shown) => {
    ports.onProgress({
      ...input.record,
      doing: { what: "gates", since: new Date(ports.clock.now()).toISOString() },
    });
    const { knownHealth, record } = input;
    const known = knownHealth?.mark === saved.before.mark ? knownHealth.health : undefined;
    if (known) tellHealth(ports, record, { when: "before", health: known });
    const found = known ?? (await checkHealth(ports, input, { when: "before", signal: stop.asked }));
    if (found) shown.title = `Gates: ${describeHealth(found)}`;
    shown.isBlocked = found?.record.verdict === "blocked";
    return found;
  });
  if (!health || stop.asked.aborted) return undefined;
  const memory = await step("Memory", (shown) => injectMemory(ports, input, shown));
  if (stop.asked.aborted) return undefined;
  const past = await step("Past conversations", (shown) => readPast(ports, asked, shown));
  if (stop.asked.aborted) return undefined;
  const prompt = await step("Prompt", async (shown) => {
    const text = writePrompt(ports, input, { ...saved, health, memory, past });
    shown.title = `Prompt: ${text.length} characters`;
    return text;
  });
  return { prompt, health, memory };
};

const work = ({ ports, input, step }: Run, { prompt, health }: Prepared): Promise<Ran> =>
  step("Agent", async (shown) => {
    const { title } = ports.driver;
    const checked = { ...input, record: { ...input.record, gateBefore: health.record } };
    if (ports.stop.asked.aborted) {
      shown.title = `${title}: not started, stop requested`;
      return skipAgent(ports, checked);
    }
    shown.title = `${title} works`;
    ports.onProgress(checked.record);
    const ran = await runAgent(
      {
        ...ports,
        onProgress: (record, progress) => {
          ports.onProgress(record, progress);
          if (progress) shown.output = describeProgress(progress);
        },
      },
      checked,
      prompt,
    );
    shown.title = `${title}: ${ran.result.endReason}${describeUsage(ran.record)}`;
    return ran;
  });
