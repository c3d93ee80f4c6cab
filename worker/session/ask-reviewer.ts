import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { withoutUndefined } from "../../core/without-undefined.ts";
import { endMarked } from "../../core/process-tree.ts";
import { errorText } from "../../core/errors.ts";
import type { Sandbox } from "../../sandbox/open-sandbox.ts";
import type { AskReviewer } from "../../verdict/reviewer/review.ts";
import type { Reviewer } from "./reviewer.ts";
import { ownEnv, sessionEnv } from "./session-env.ts";
import type { SessionInput, SessionPorts } from "./session-ports.ts";
import { watchAgent } from "./watch-agent.ts";

/**
 * Asks the reviewer; each time it is bound by the time limits of a session and by its own budget. `onSpent` is told
 * what all reviews have cost together, as soon as the reviewer says so.
 */
export const createAskReviewer = (
  ports: SessionPorts,
  input: SessionInput,
  { driver, settings, review, onSpent }: Reviewer & { onSpent: (costUsd: number) => void },
): AskReviewer => {
  let before = 0;
  return async ({ dir, objects, prompt }) => {
    const { clock } = ports;
    const { state } = input;
    const { limits } = state;
    const mark = randomUUID();
    const scratchDir = join(ports.files.scratch, `review-${mark}`);
    mkdirSync(scratchDir, { recursive: true, mode: 0o700 });
    const model = review.model ?? settings.model;
    let sandbox: Sandbox | undefined;
    try {
      const env = ownEnv({ ...ports, settings }, input);
      sandbox = await ports.sandboxes?.open(
        { agent: review.agent, env },
        { dir: realpathSync(dir), write: [], read: [state.dir, objects] },
      );
      const session = await driver.start({
        prompt,
        dir,
        settings,
        env: sandbox?.env ?? sessionEnv({ ...ports, settings }, input),
        confinement: sandbox?.confinement,
        scratchDir,
        ...withoutUndefined({ model, budgetUsd: review.costUsd }),
      });
      try {
        const result = await watchAgent(
          {
            clock,
            stop: ports.stop,
            onEvent: (event, { spending }) => {
              ports.log.event("review", { event });
              if (spending.totalCostUsd !== undefined) onSpent(before + spending.totalCostUsd);
            },
          },
          session,
          {
            contextPercent: limits.contextPercent,
            sessionMs: limits.sessionMinutes * 60_000,
            idleMs: limits.idleMinutes * 60_000,
            stopGraceMs: limits.handoffMinutes * 60_000,
            ...withoutUndefined({ costUsd: review.costUsd, model }),
          },
        );
        const { totalCostUsd } = session.spent();
        const cost = totalCostUsd === undefined ? {} : { costUsd: totalCostUsd };
        before += totalCostUsd ?? 0;
        if (totalCostUsd !== undefined) onSpent(before);
        return result.endReason === "handoff" || result.endReason === "context"
          ? { text: result.lastText, ...cost }
          : { text: "", ...cost, problem: result.error ?? `its session ended with: ${result.endReason}` };
      } finally {
        await session.end();
      }
    } catch (error) {
      return { text: "", problem: errorText(error) };
    } finally {
      await endMarked(mark, { clock, graceMs: 500 });
      await sandbox?.close();
      rmSync(scratchDir, { recursive: true, force: true });
    }
  };
};
