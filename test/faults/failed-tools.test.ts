// @module-tag long

import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

test("a tool that failed says why, and a stop of the critic says which rule, in the log and the events", async () => {
  const raw = (line: object): ScriptedStep => ({ do: "raw", text: `${JSON.stringify(line)}\n` });
  const stopped = 'PreToolUse hook: nightshift critic: STOP. R5 (skipping tests): "--no-verify".';
  const request = await night.plan({
    max: 1,
    parts: [
      {
        steps: [
          raw({ type: "tool-end", id: "a", isError: true, reason: "no such file: x" }),
          raw({ type: "tool-end", id: "b", isError: true, reason: stopped }),
          raw({ type: "started", conversationId: "c-1", model: "claude-sonnet-4-5" }),
          raw({ type: "usage", contextTokens: 10, totalTokens: 10 }),
          { do: "say", text: "HANDOFF: more" },
        ],
      },
    ],
  });
  const state = await night.run(request);

  expect(state.sessions[0]).toMatchObject({
    criticStops: 1,
    model: "claude-sonnet-4-5",
    windowTokens: 200_000,
    windowSource: "model",
  });
  expect(night.log()).toContain("tool: failed: no such file: x");
  expect(night.log()).toContain('critic: stopped this tool: R5 (skipping tests): "--no-verify".');
  expect(night.log()).toContain("200000 tokens are known of claude-sonnet-4-5");
  expect(night.events()).toContainEqual(expect.objectContaining({ type: "tool-end", reason: stopped }));
});
