import { expect, test } from "vitest";
import type { Conversation, Message, Part } from "../agents/store.ts";
import { findContextFaults } from "./check-context.ts";
import { closeOver } from "./closure.ts";

const say = (id: string, role: Message["role"], parts: Part[], extra: Partial<Message> = {}): Message => ({
  id,
  role,
  parts,
  context: "in",
  bonds: [],
  ...extra,
});
const text = (value: string): Part => ({ kind: "text", text: value });
const call = (callId: string): Part => ({ kind: "tool-call", text: "", tool: "bash", callId });
const result = (callId: string): Part => ({ kind: "tool-result", text: "", callId });

const conversation = (messages: Message[]): Conversation => ({
  agent: "claude",
  id: "c",
  path: "/c",
  messages,
  faults: [],
  isSubAgent: false,
});

const parallel = () =>
  conversation([
    say("u1", "user", [text("go")]),
    say("a1", "assistant", [text("two at once"), call("t1"), call("t2")]),
    say("r1", "tool", [result("t1")]),
    say("r2", "tool", [result("t2")]),
    say("a2", "assistant", [text("done")]),
  ]);

test("one result takes its call along, and the call all its other results", () => {
  const { named, companions, stubs } = closeOver(parallel(), ["r1"]);
  expect(named).toEqual(["r1"]);
  expect(companions.map(({ id }) => id)).toEqual(["a1", "r2"]);
  expect(companions[0]?.because).toBe("made the tool call answered in r1");
  expect(companions[1]?.because).toBe("holds the result of a tool call in a1");
  expect(stubs).toEqual([]);
});

test("what is bound together goes together", () => {
  const bound = conversation([
    say("u1", "user", [text("go")]),
    say("think", "assistant", [{ kind: "thinking", text: "" }], { bonds: ["reasoning:a1"] }),
    say("a1", "assistant", [call("t1")], { bonds: ["reasoning:a1"] }),
    say("r1", "tool", [result("t1")]),
    say("a2", "assistant", [text("done")]),
  ]);
  expect(closeOver(bound, ["r1"]).companions.map(({ id }) => id)).toEqual(["a1", "think"]);
});

test("a first prompt leaves a placeholder when an answer would come first", () => {
  const { named, stubs } = closeOver(parallel(), ["u1"]);
  expect({ named, stubs }).toEqual({ named: [], stubs: ["u1"] });
});

test.each([
  ["everything", ["u1", "a1", "a2"]],
  ["every answer", ["a1", "a2"]],
])("%s cannot be forgotten", (_, ids) => {
  expect(() => closeOver(parallel(), ids)).toThrow(/nothing to continue from/);
});

test("of a conversation without an answer yet, the last prompt cannot be forgotten", () => {
  const asked = conversation([say("u1", "user", [text("go")]), say("u2", "user", [text("and on")])]);
  expect(closeOver(asked, ["u1"]).named).toEqual(["u1"]);
  expect(() => closeOver(asked, ["u1", "u2"])).toThrow(/nothing to continue from/);
});

test("a message that marks where the context begins leaves a placeholder", () => {
  const compacted = conversation([
    say("s1", "user", [text("summary of before")], { isBoundary: true }),
    ...parallel().messages,
  ]);
  expect(closeOver(compacted, ["s1"])).toEqual({ named: [], companions: [], stubs: ["s1"] });
});

test("a message that has left the context already is named as such", () => {
  const gone = conversation([
    say("old", "user", [text("x")], { context: "compacted" }),
    ...parallel().messages,
  ]);
  expect(() => closeOver(gone, ["old"])).toThrow(/no longer in the context \(compacted\)/);
  expect(() => closeOver(gone, ["nope"])).toThrow(/no message nope/);
});

test("halves of tool pairs and an answer at the beginning are faults", () => {
  const broken = conversation([say("a1", "assistant", [call("t1")]), say("r9", "tool", [result("t9")])]);
  expect(findContextFaults(broken)).toEqual([
    { id: "a1", fault: "tool call t1 has no result" },
    { id: "r9", fault: "result of t9 has no call" },
    { id: "a1", fault: "the first message is of assistant, not of the user" },
  ]);
  expect(findContextFaults(parallel())).toEqual([]);
});
