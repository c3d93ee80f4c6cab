import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type AgentCli, findAgentCli } from "./agent-clis.ts";
import { setUpRealAgent } from "./real-agents.ts";
import { startScriptedModel } from "./scripted-model/server.ts";

const cli = resolve(import.meta.dirname, "../dist/scripts/nightshift.js");

/** Lets a real agent, with what `nightshift init --hooks` installs for it, run one command of the scripted model. */
const runCommand = async (id: AgentCli, command: string) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-plugin-")));
  execFileSync("git", ["init", "-q", dir]);
  const model = await startScriptedModel({
    sessions: [{ turns: [{ run: command }, { text: "Understood." }] }],
  });
  const agent = await setUpRealAgent(id, { modelUrl: model.url });
  onTestFinished(async () => {
    await model.close();
    agent.dispose();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  // Codex reads a project's hooks only where the project is trusted.
  if (id === "codex")
    appendFileSync(join(agent.home, ".codex/config.toml"), `[projects."${dir}"]\ntrust_level = "trusted"\n`);
  // Which agents are installed is told by their folders on PATH.
  const programs = String(agent.settings.command).replace(/\/[^/]*$/, "");
  const env = { ...agent.env, PATH: `${programs}:${agent.env["PATH"]}` };
  execFileSync("node", [cli, "init", "--yes", "--hooks"], { cwd: dir, env, input: "" });
  const session = await agent.driver.start({
    prompt: "go",
    dir,
    settings:
      id === "codex" ? { ...agent.settings, args: ["--dangerously-bypass-hook-trust"] } : agent.settings,
    env: agent.env,
    scratchDir: mkdtempSync(join(dir, "scratch-")),
  });
  let last = "";
  for await (const event of session.events) last = event.type;
  await session.end({ graceMs: 500 });
  return { last, hasRun: existsSync(join(dir, "ran")), told: JSON.stringify(model.requests) };
};

for (const id of ["claude", "codex", "gemini", "opencode", "pi"] as const) {
  const isInstalled = findAgentCli(id) !== undefined;
  test.skipIf(!isInstalled)(
    `${id}${isInstalled ? "" : " (not installed)"} is stopped before a destructive command, told why, and runs a harmless one`,
    async () => {
      const held = await runCommand(id, "touch ran; pkill -f no-such-program-of-ours");
      expect(held).toMatchObject({ last: "ended", hasRun: false });
      expect(held.told).toContain("nightshift critic: STOP. D11");
      const harmless = await runCommand(id, "touch ran; ls -la");
      expect(harmless).toMatchObject({ last: "ended", hasRun: true });
      expect(harmless.told).not.toContain("nightshift critic");
    },
  );
}
