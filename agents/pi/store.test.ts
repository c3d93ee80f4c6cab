import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openConversation } from "../../conversations/find.ts";
import { emptyHome, type TestHome } from "../../conversations/fixtures/corpus-home.ts";
import { forgetMessages } from "../../conversations/forget.ts";
import { purgeMessages } from "../../conversations/purge.ts";
import { readJsonLines } from "../jsonl.ts";

// Sessions in the shape that 1.3.0 writes: the prompt and the tools are entries, and what is sent can be edited.

let made: TestHome;
beforeEach(() => {
  made = emptyHome();
});
afterEach(() => made.remove());

const message = (id: string, parentId: string, body: object) => ({
  type: "message",
  id,
  parentId,
  message: body,
});
const says = (id: string, parentId: string, role: "user" | "assistant", text: string) =>
  message(id, parentId, {
    role,
    content: [{ type: "text", text }],
    ...(role === "assistant" ? { stopReason: "stop" } : {}),
  });
const edit = (id: string, parentId: string, targetId: string, replacement: unknown) => ({
  type: "context_edit",
  id,
  parentId,
  targetId,
  replacement,
});

const SESSION = [
  { type: "session", version: 3, id: "s1", cwd: "/w" },
  { type: "model_change", id: "e1", parentId: null, provider: "scripted", modelId: "m" },
  message("e2", "e1", {
    role: "system",
    content: "",
    sections: { preamble: "You are an expert." },
    toolsAdded: [{ name: "read" }],
  }),
  says("e3", "e2", "user", "look at the red thing"),
  says("e4", "e3", "assistant", "a long look at the red thing"),
  says("e5", "e4", "user", "look at the blue thing"),
  says("e6", "e5", "assistant", "a long look at the blue thing"),
  edit("e7", "e6", "e4", null),
  edit("e8", "e7", "e6", "a short look"),
  says("e9", "e8", "user", "and now?"),
  says("ea", "e9", "assistant", "done"),
];

const put = (records: readonly object[] = SESSION): string => {
  const path = join(made.home, ".pi/agent/sessions/--w--/2026-10-15T10-00-00-000Z_s1.jsonl");
  const timed = records.map((record, index) => ({
    ...record,
    timestamp: new Date(Date.UTC(2026, 9, 15, 10, 0, index)).toISOString(),
  }));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, timed.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return path;
};

const open = () => openConversation("pi:s1", made.ports);
const textsIn = async (): Promise<string[]> =>
  (await open()).conversation.messages
    .filter(({ context }) => context === "in")
    .map(({ parts }) => parts[0]?.text ?? "");
const entriesIn = (path: string) => readJsonLines(readFileSync(path)).records.map(({ value }) => value);

test("pi's own prompt is no message, and its edits of the context count", async () => {
  put();
  const { conversation } = await open();
  expect(conversation.title).toBe("look at the red thing");
  expect(conversation.messages.map(({ id, context }) => [id, context])).toEqual([
    ["e3", "in"],
    ["e4", "excluded"],
    ["e5", "in"],
    ["e6", "in"],
    ["e9", "in"],
    ["ea", "in"],
  ]);
  expect(await textsIn()).toEqual([
    "look at the red thing",
    "look at the blue thing",
    "a short look",
    "and now?",
    "done",
  ]);
});

test("the last edit on a branch counts, and none of another branch", async () => {
  put([
    ...SESSION,
    edit("f1", "ea", "e4", "a glance"),
    edit("f2", "f1", "e4", "a peek"),
    edit("f3", "ea", "e3", null),
    says("f4", "f2", "user", "go on"),
  ]);
  expect(await textsIn()).toEqual([
    "look at the red thing",
    "a peek",
    "look at the blue thing",
    "a short look",
    "and now?",
    "done",
    "go on",
  ]);
});

test("forgetting an edited message takes the edit along, and leaves the other where it belongs", async () => {
  const path = put();
  await forgetMessages(await open(), { named: ["e6"], ports: made.ports });
  expect(await textsIn()).toEqual(["look at the red thing", "look at the blue thing", "and now?", "done"]);
  const branch = entriesIn(path).slice(SESSION.length);
  expect(branch.filter(({ type }) => type === "context_edit")).toMatchObject([
    { targetId: "e4", replacement: null },
  ]);
});

test("what is replaced by nothing is sent as nothing", async () => {
  put([...SESSION, edit("f1", "ea", "e6", ""), says("f2", "f1", "user", "go on")]);
  expect(await textsIn()).toEqual([
    "look at the red thing",
    "look at the blue thing",
    "",
    "and now?",
    "done",
    "go on",
  ]);
});

test("purging a message that was left out takes the edit along", async () => {
  const path = put();
  await purgeMessages(await open(), { named: ["e4"], dryRun: false, ports: made.ports });
  expect(entriesIn(path).map(({ id }) => id)).toEqual(["s1", "e1", "e2", "e3", "e5", "e6", "e8", "e9", "ea"]);
});

test("purging an edited message takes what was sent in its place along", async () => {
  const path = put();
  await purgeMessages(await open(), { named: ["e6"], dryRun: false, ports: made.ports });
  expect(readFileSync(path, "utf8")).not.toMatch(/short look|long look at the blue/);
  expect(entriesIn(path)).toHaveLength(SESSION.length - 2);
  expect(await textsIn()).toEqual(["look at the red thing", "look at the blue thing", "and now?", "done"]);
});
