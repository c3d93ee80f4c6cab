import { expect, test } from "vitest";
import { agyArguments } from "./agy/driver.ts";
import { claudeArguments } from "./claude/driver.ts";
import { codexArguments } from "./codex/session.ts";
import type { AgentSettings } from "./driver.ts";
import { geminiArguments } from "./gemini/driver.ts";
import { piArguments } from "./pi/driver.ts";

const request = (settings: AgentSettings) => ({
  prompt: "WORKER MODE: x",
  dir: "/repo",
  settings,
  env: {},
  scratchDir: "/scratch",
});

test("settings' own arguments come first, so that a wrapper can stand for the program", () => {
  for (const build of [agyArguments, claudeArguments, codexArguments, geminiArguments, piArguments])
    expect(build(request({ args: ["/opt/cli.js", "--flag"] })).slice(0, 2)).toEqual([
      "/opt/cli.js",
      "--flag",
    ]);
});

test("nothing is asked and nothing forbidden, unless a permission mode is chosen", () => {
  expect(claudeArguments(request({}))).toContain("--dangerously-skip-permissions");
  expect(claudeArguments(request({ permissionMode: "plan" })).join(" ")).toContain("--permission-mode plan");
  expect(codexArguments(request({}))).toContain("--dangerously-bypass-approvals-and-sandbox");
  expect(geminiArguments(request({})).join(" ")).toContain("--approval-mode yolo");
  expect(geminiArguments(request({ permissionMode: "auto_edit" })).join(" ")).toContain(
    "--approval-mode auto_edit",
  );
  expect(agyArguments(request({}))).toContain("--dangerously-skip-permissions");
  const planning = agyArguments(request({ permissionMode: "plan" }));
  expect(planning.join(" ")).toContain("--mode plan");
  expect(planning).not.toContain("--dangerously-skip-permissions");
  const codex = codexArguments(request({ permissionMode: "read-only" }));
  expect(codex.join(" ")).toContain('-c sandbox_mode="read-only"');
  expect(codex).not.toContain("--dangerously-bypass-approvals-and-sandbox");
});

test("the prompt is on no command line: it may be longer than one can be", () => {
  for (const build of [agyArguments, claudeArguments, codexArguments, geminiArguments, piArguments])
    expect(build(request({})).join(" ")).not.toContain("WORKER MODE");
});
