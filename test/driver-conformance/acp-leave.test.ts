// @module-tag long

import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../agents/driver.ts";
import { criticOfCalls } from "../../worker/session/refuse-call.ts";
import { findTestedProgram, type RealAgent, setUpRealAgent, type TestedAgent } from "../real-agents.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model/server.ts";

// What an agent asks leave for over the Agent Client Protocol is judged by the critic, with the real programs.

let dir = "";
let model: ScriptedModel | undefined;
let agent: RealAgent | undefined;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-leave-")));
});
afterEach(async () => {
  await model?.close();
  agent?.dispose();
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
});

const AGENTS: TestedAgent[] = ["claude-acp", "gemini-acp"];
const FOUND = AGENTS.map((id) => ({ id, isInstalled: findTestedProgram(id) !== undefined }));

describe.each(FOUND)("$id (installed: $isInstalled)", ({ id, isInstalled }) => {
  test.skipIf(!isInstalled)(
    "makes the call that the critic lets pass, and not the one it stops",
    async () => {
      model = await startScriptedModel({
        sessions: [
          {
            turns: [
              { run: "echo fine > allowed.txt" },
              { run: "touch refused.txt && git push --force origin main" },
              { text: "DONE: one of two" },
            ],
          },
        ],
      });
      agent = await setUpRealAgent(id, { modelUrl: model.url });
      const { driver, env, settings, home } = agent;
      const session = await driver.start({
        prompt: "WORKER MODE: two calls",
        dir,
        settings,
        env,
        scratchDir: mkdtempSync(join(home, "scratch-")),
        refuseCall: await criticOfCalls({ env, now: Date.now, log: () => undefined }, dir),
      });
      const events: AgentEvent[] = [];
      for await (const event of session.events) events.push(event);
      await session.end();
      expect(existsSync(join(dir, "allowed.txt"))).toBe(true);
      expect(existsSync(join(dir, "refused.txt"))).toBe(false);
      expect(events).toContainEqual({
        type: "warning",
        message: expect.stringMatching(/^refused: .*git push --force/),
      });
    },
  );
});
