import { Listr } from "listr2";
import type { SessionContext, SessionInput, SessionOutcome, SessionPorts } from "./session-ports.ts";
import { SESSION_STEPS } from "./session-steps.ts";

/** One session of a worker as a listr2 pipeline: reap, rescue, gates, memory, past conversations, prompt, agent, handoff, verdict. */
export const runSession = async (ports: SessionPorts, input: SessionInput): Promise<SessionOutcome> => {
  const context = {} as SessionContext;
  await new Listr<SessionContext, "default" | "simple" | "silent">(
    SESSION_STEPS.map((step) => step(ports, input)),
    {
      renderer: ports.renderer,
      ctx: context,
      concurrent: false,
      exitOnError: true,
      registerSignalListeners: false,
    },
  ).run();
  return {
    record: input.record,
    closing: context.closing,
    result: context.result,
    memory: context.memory,
    healthAfter: context.healthAfter,
    workAfter: context.after,
    rescue: context.rescue,
  };
};
