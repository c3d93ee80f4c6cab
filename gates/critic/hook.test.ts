import { expect, test } from "vitest";
import { answerHook, readHookInput } from "./hook.ts";
import { judge } from "./judge.ts";

const call = (tool_name: string, tool_input: unknown) =>
  JSON.stringify({
    session_id: "s",
    cwd: "/",
    hook_event_name: "PreToolUse",
    tool_name,
    tool_input,
    tool_use_id: "t",
  });
const verdictOf = (tool: string, input: unknown) => {
  const { text = "", isCommand = false } = readHookInput(call(tool, input)) ?? {};
  return judge(text, { isCommand }).verdict;
};

test.each([
  ["Bash", { command: "git commit --no-verify -m wip", description: "Commit" }, "STOP"],
  ["Bash", { command: "npm test && git commit -m 'fix: pager'", description: "Test and commit" }, "PROCEED"],
  ["Bash", { command: "grep -rn 'it.skip' src", description: "List skipped tests" }, "PROCEED"],
  ["Task", { description: "Pager", prompt: "Implement the pager, then write the tests." }, "STOP"],
  ["Task", { description: "Pager", prompt: "Write the failing test, then implement the pager." }, "PROCEED"],
  ["ExitPlanMode", { plan: "1. Build the parser\n2. Wire it up\n3. Add unit tests" }, "STOP"],
  [
    "TodoWrite",
    {
      todos: [
        { content: "Implement login", status: "pending" },
        { content: "Write tests for login", status: "pending" },
      ],
    },
    "STOP",
  ],
  [
    "TodoWrite",
    {
      todos: [
        { content: "Write failing test for login", status: "completed" },
        { content: "Implement login", status: "pending" },
      ],
    },
    "PROCEED",
  ],
  ["Edit", { file_path: "a.test.ts", old_string: "it('adds'", new_string: "it.skip('adds'" }, "STOP"],
  ["Edit", { file_path: "a.test.ts", old_string: "it.skip('adds'", new_string: "it('adds'" }, "PROCEED"],
  [
    "Edit",
    { file_path: "a.test.ts", old_string: "it.skip('adds', one", new_string: "it.skip('adds', two" },
    "PROCEED",
  ],
  ["Write", { file_path: "docs/testing.md", content: "Never use it.skip('x')" }, "PROCEED"],
  [
    "MultiEdit",
    { file_path: "b_test.go", edits: [{ old_string: "x := 1", new_string: 't.Skip("flaky")' }] },
    "STOP",
  ],
  ["Read", { file_path: "a.ts" }, "PROCEED"],
  ["shell", { command: ["bash", "-lc", "git push --no-verify"] }, "STOP"],
  [
    "apply_patch",
    { input: "*** Begin Patch\n*** Update File: a.test.ts\n-it('a'\n+it.skip('a'\n*** End Patch" },
    "STOP",
  ],
  [
    "update_plan",
    {
      plan: [
        { step: "Implement cache", status: "pending" },
        { step: "Write tests for cache", status: "pending" },
      ],
    },
    "STOP",
  ],
])("judges what the tool %s is about to do: %j", (tool, input, verdict) => {
  expect(verdictOf(tool, input)).toBe(verdict);
});

test.each(["", "{", "[]", "null", `{"tool_name": 3}`, `{"tool_name": "Bash"}`])(
  "does not take %j for a tool call",
  (json) => {
    expect(readHookInput(json)).toBeUndefined();
  },
);

test("STOP is exit 2, a deny and a reason for the model, in both protocols", () => {
  for (const agent of ["claude", "codex"] as const) {
    const answer = answerHook(judge("skip the tests"), agent);
    expect(answer.exitCode).toBe(2);
    expect(answer.stderr).toContain("R5");
    expect(JSON.parse(answer.stdout)).toMatchObject({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
    });
  }
});

test("a caution never decides about the permission, and nothing is said about the rest", () => {
  const caution = answerHook(judge("this should work now"), "claude");
  expect(caution.exitCode).toBe(0);
  expect(caution.stdout).toContain("additionalContext");
  expect(caution.stdout).not.toContain("permissionDecision");
  expect(answerHook(judge("run the tests"), "codex")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
});
