import { expect, test } from "vitest";
import { createModelPlayer, type ModelRequest, splitUsage, toolCallsOf } from "./script.ts";

const shell = { name: "Bash", schema: { properties: { command: { type: "string" }, description: {} } } };
const ask = (opening: string, replies: number, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "m",
  isStreaming: true,
  opening,
  latest: replies === 0 ? opening : "",
  replies,
  tools: [shell],
  ...more,
});
const say = (text: string) => ({ text });

test("conversations take the sessions in order, each the first free one that fits", () => {
  const play = createModelPlayer({
    sessions: [
      { when: "docs", turns: [say("docs 1"), say("docs 2")] },
      { turns: [say("any 1")] },
      { turns: [say("next 1")] },
    ],
  });
  expect(play(ask("work on code", 0))?.text).toBe("any 1");
  expect(play(ask("work on docs", 0))?.text).toBe("docs 1");
  expect(play(ask("work on docs", 1))?.text).toBe("docs 2");
  expect(play(ask("work on docs", 2))?.text).toBe("docs 2");
  expect(play(ask("work on code", 0))?.text).toBe("next 1");
  expect(play(ask("a third one", 0))).toBeUndefined();
});

test("a side job without tools takes no turn", () => {
  const play = createModelPlayer({ sessions: [{ turns: [say("one")] }] });
  expect(play(ask("title for: hello", 0, { tools: [] }))).toBeUndefined();
  expect(play(ask("hello", 0))?.text).toBe("one");
});

test("a retry after a fault goes on in its session, and surroundings rewritten are the same conversation", () => {
  const limit = { fault: { kind: "rate-limit" as const, resetsAtMs: 1 } };
  const play = createModelPlayer({
    sessions: [{ turns: [limit, say("two"), say("three")] }, { turns: [say("no")] }],
  });
  const dated = (day: string) => `<environment_context>${day}</environment_context>\nhello`;
  expect(play(ask(dated("Monday"), 0))).toEqual(limit);
  expect(play(ask(dated("Monday"), 0))?.text).toBe("two");
  expect(play(ask(dated("Tuesday"), 1))?.text).toBe("three");
});

test("an answer is given whole, and the turns go on after it", () => {
  const play = createModelPlayer({
    sessions: [
      {
        turns: [say("one"), say("two")],
        answers: [{ contains: "note?", turns: [{ run: "ls" }, say("the note")] }],
      },
    ],
  });
  expect(play(ask("hello", 0))?.text).toBe("one");
  expect(play(ask("hello", 1, { latest: "note?" }))?.run).toBe("ls");
  expect(play(ask("hello", 2))?.text).toBe("the note");
  expect(play(ask("hello", 3))?.text).toBe("two");
});

test("a command becomes a call of the agent's own shell tool, in its own words", () => {
  const call = (tool: ModelRequest["tools"][number]) =>
    toolCallsOf({ run: "ls" }, ask("x", 0, { tools: [tool] }), 1)[0];
  expect(call(shell)).toEqual({
    id: "scripted_1",
    name: "Bash",
    input: { command: "ls", description: "scripted command" },
  });
  expect(call({ name: "exec_command", schema: { properties: { cmd: { type: "string" } } } })?.input).toEqual({
    cmd: "ls",
  });
  expect(call({ name: "shell", schema: { properties: { command: { type: "array" } } } })?.input).toEqual({
    command: ["sh", "-c", "ls"],
  });
});

test("the parts of a usage figure add up to it", () => {
  for (const contextTokens of [0, 7, 60, 1_000, 750_001]) {
    const { input, output, cacheRead, cacheWrite } = splitUsage({ contextTokens });
    expect(input + output + cacheRead + cacheWrite).toBe(contextTokens);
  }
  const two = toolCallsOf({ run: ["ls", "pwd"] }, ask("x", 0, { tools: [shell] }), 2);
  expect(two.map(({ id, input }) => `${id} ${String(input["command"])}`)).toEqual([
    "scripted_2 ls",
    "scripted_2_1 pwd",
  ]);
});
