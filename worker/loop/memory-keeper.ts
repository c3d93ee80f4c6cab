import { withoutNamedSecrets } from "../../core/redaction.ts";
import { type MemoryPorts, type MemorySettings, tryMemory } from "../session/memory-client.ts";
import type { SessionOutcome } from "../session/session-ports.ts";
import { projectName } from "../state/project-name.ts";
import type { WorkerLog } from "../state/worker-log.ts";
import type { HealthResult, WorkerState } from "../state/worker-state.ts";

const firstLine = (text: string): string => text.trim().split("\n")[0]?.slice(0, 200) ?? "";

const outcomeOf = (verdict: HealthResult | undefined): "pass" | "fail" | undefined =>
  verdict === "healthy" ? "pass" : verdict === "blocked" ? "fail" : undefined;

/** What a session was given from the memory. */
type Given = { receipt: string; session: number };

/**
 * What a worker gives back to the memory service: how it went for each receipt, as soon as gates say so
 * (after a DONE, else before the next session), and its failures. The service being away changes nothing.
 */
export const createMemoryKeeper = (
  ports: MemoryPorts,
  settings: MemorySettings | undefined,
  log: Pick<WorkerLog, "line" | "event">,
) => {
  let openReceipt: Given | undefined;
  const told = new Set<string>();

  const tell = async (asked: Promise<{ problem?: string | undefined }>): Promise<void> => {
    const { problem } = await asked;
    if (problem && !told.has(problem)) {
      told.add(problem);
      log.line(`memory: ${problem}`);
    }
  };

  const settle = async (given: Given | undefined, verdict: HealthResult | undefined): Promise<boolean> => {
    const outcome = outcomeOf(verdict);
    if (!settings || !given || !outcome) return false;
    const { receipt, session } = given;
    const asked = tryMemory(
      ports,
      settings,
      (client, options) => client.outcome.post({ receipt, outcome }, options),
      ({ credited }) => credited.length,
    );
    await tell(asked);
    const { answer: credited } = await asked;
    if (credited !== undefined) log.event("memory-outcome", { session, outcome, credited });
    return true;
  };

  const failureOf = ({ record, healthAfter }: SessionOutcome): string | undefined => {
    if (record.endReason === "error") return `Session ended with an error: ${firstLine(record.error ?? "")}`;
    if (healthAfter?.record.verdict === "blocked")
      return `Said DONE while the gates were red: ${firstLine(healthAfter.report)}`;
    return undefined;
  };

  return {
    learnFrom: async (state: WorkerState, outcome: SessionOutcome): Promise<void> => {
      if (!settings) return;
      await settle(openReceipt, outcome.record.gateBefore?.verdict);
      openReceipt = undefined;
      const receipt = outcome.memory?.status === "ok" ? outcome.memory.receipt : undefined;
      const given = receipt === undefined ? undefined : { receipt, session: outcome.record.number };
      if (!(await settle(given, outcome.healthAfter?.record.verdict))) openReceipt = given;
      const failure = failureOf(outcome);
      if (failure === undefined || told.has(failure)) return;
      told.add(failure);
      const lesson = withoutNamedSecrets({
        type: "failure" as const,
        trigger: `${projectName(state)}: ${firstLine(state.task)}`,
        learning: failure,
        confidence: 0.7,
        project: projectName(state),
        source: `worker ${state.name}, session ${outcome.record.number}`,
      });
      await tell(tryMemory(ports, settings, (client, options) => client.learn.post(lesson, options)));
    },
  };
};
