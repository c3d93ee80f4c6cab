import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent } from "../agents/driver.ts";
import { findAgentCli } from "./agent-clis.ts";
import { type RealAgent, setUpRealAgent } from "./real-agents.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model/server.ts";

const isInstalled = findAgentCli("claude") !== undefined;
const cli = resolve(import.meta.dirname, "../dist/scripts/nightshift.js");

let dir = "";
let model: ScriptedModel;
let agent: RealAgent;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-hook-")));
  execFileSync("git", ["init", "-q", dir]);
});
afterEach(async () => {
  await model.close();
  agent.dispose();
  rmSync(dir, { recursive: true, force: true });
});

/** Lets the real Claude Code, with the hook that `nightshift init --hooks` installs, run one command. */
const runCommand = async (command: string): Promise<{ told: string; problems: string[] }> => {
  model = await startScriptedModel({ sessions: [{ turns: [{ run: command }, { text: "Understood." }] }] });
  agent = await setUpRealAgent("claude", { modelUrl: model.url });
  execFileSync("node", [cli, "init", "--yes", "--hooks"], { cwd: dir, env: agent.env, input: "" });
  const session = await agent.driver.start({
    prompt: "go",
    dir,
    settings: agent.settings,
    env: agent.env,
    scratchDir: mkdtempSync(join(dir, "scratch-")),
  });
  const seen: AgentEvent[] = [];
  for await (const event of session.events) seen.push(event);
  expect(seen.at(-1)?.type).toBe("ended");
  await session.end({ graceMs: 500 });
  const problems = seen.flatMap((event) => (event.type === "tool-end" ? (event.reason ?? []) : []));
  return { told: JSON.stringify(model.requests), problems };
};

describe.skipIf(!isInstalled)(
  `Claude Code with the installed hook${isInstalled ? "" : " (not installed)"}`,
  () => {
    test("is stopped before an action that skips tests, and the model is told why", async () => {
      const { told, problems } = await runCommand("touch pushed # git push --no-verify");
      expect(existsSync(join(dir, "pushed"))).toBe(false);
      expect(told).toContain("nightshift critic: STOP");
      expect(told).toContain("R5");
      expect(problems).toEqual([expect.stringMatching(/nightshift critic: STOP\. R5/)]);
    });

    test("runs a harmless action", async () => {
      const { told, problems } = await runCommand("touch tested # npm test");
      expect(existsSync(join(dir, "tested"))).toBe(true);
      expect(told).not.toContain("nightshift critic");
      expect(problems).toEqual([]);
    });
  },
);
