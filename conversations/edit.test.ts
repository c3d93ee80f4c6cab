import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { diagnose, repair } from "./doctor.ts";
import { openConversation } from "./find.ts";
import { emptyHome, type TestHome } from "./fixtures/corpus-home.ts";
import { forgetMessages } from "./forget.ts";
import { listJournal } from "./journal.ts";
import { openMessages } from "./open-messages.ts";
import { purgeMessages } from "./purge.ts";
import { searchConversations } from "./search.ts";
import { contextSize } from "./size.ts";
import { findForgotten } from "./stale-usage.ts";
import { undoLast } from "./undo.ts";

let made: TestHome;
beforeEach(() => {
  made = emptyHome();
});
afterEach(() => made.remove());

const SECRET = "the launch code is heron nine heron";

const put = (path: string, records: readonly object[]): string => {
  const full = join(made.home, path);
  mkdirSync(join(full, ".."), { recursive: true });
  writeFileSync(full, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return full;
};

const at = (minute: number) => new Date(1.77e12 + minute * 60_000).toISOString();

const claudeLine = (uuid: string, parentUuid: string | null, rest: object) => ({
  uuid,
  parentUuid,
  sessionId: "s",
  cwd: "/nowhere",
  timestamp: at(1),
  ...rest,
});
const claudeReply = (id: string, content: object[]) => ({
  type: "assistant",
  message: {
    id,
    role: "assistant",
    model: "claude-opus-4-5",
    content,
    usage: { input_tokens: 9000, output_tokens: 1 },
  },
});
const claudeCall = { type: "tool_use", id: "t1", name: "Bash", input: { command: "cat secret.txt" } };
const claudeResult = { type: "tool_result", tool_use_id: "t1", content: SECRET };

const claude = () =>
  put(".claude/projects/p/s.jsonl", [
    claudeLine("u1", null, { type: "user", message: { role: "user", content: "go" } }),
    claudeLine("a1", "u1", claudeReply("msg_1", [claudeCall])),
    claudeLine("p1", "a1", { type: "progress", toolUseID: "t1", data: { output: SECRET } }),
    claudeLine("r1", "p1", {
      type: "user",
      message: { role: "user", content: [claudeResult] },
      toolUseResult: { stdout: SECRET },
    }),
    claudeLine("a2", "r1", claudeReply("msg_2", [{ type: "text", text: "Read it." }])),
    { type: "last-prompt", lastPrompt: SECRET, sessionId: "s" },
  ]);

const CODEX_ID = "0199aaaa-0000-7000-8000-000000000001";
const codexItem = (minute: number, payload: object) => ({
  timestamp: at(minute),
  type: "response_item",
  payload,
});
const codex = () =>
  put(`.codex/sessions/2026/02/01/rollout-2026-02-01T00-00-00-${CODEX_ID}.jsonl`, [
    { timestamp: at(0), type: "session_meta", payload: { id: CODEX_ID, cwd: "/nowhere" } },
    codexItem(1, { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] }),
    codexItem(2, { type: "reasoning", summary: [], encrypted_content: "abc" }),
    codexItem(2, { type: "function_call", name: "exec", arguments: '{"cmd":"cat x"}', call_id: "t1" }),
    codexItem(3, { type: "function_call_output", call_id: "t1", output: SECRET }),
    { timestamp: at(3), type: "event_msg", payload: { type: "exec_command_end", stdout: SECRET } },
    codexItem(4, {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Read it." }],
    }),
  ]);

const gemini = () =>
  put(".gemini/tmp/p/chats/session-1.jsonl", [
    { sessionId: "g1", projectHash: "h", startTime: at(0) },
    { id: "g1", timestamp: at(1), type: "user", content: [{ text: "go" }] },
    {
      id: "g2",
      timestamp: at(2),
      type: "gemini",
      content: "",
      toolCalls: [{ id: "t1", name: "shell", args: {}, result: [{ text: SECRET }], status: "success" }],
    },
    { id: "g3", timestamp: at(3), type: "gemini", content: "Read it." },
  ]);

const piEntry = (id: string, parentId: string | null, message: object) => ({
  type: "message",
  id,
  parentId,
  timestamp: at(1),
  message,
});
const pi = () =>
  put(".pi/agent/sessions/--w--/2026_p1.jsonl", [
    { type: "session", version: 3, id: "p1", cwd: "/nowhere" },
    piEntry("00000001", null, { role: "user", content: "go" }),
    piEntry("00000002", "00000001", {
      role: "assistant",
      content: [{ type: "toolCall", id: "t1", name: "bash", arguments: {} }],
    }),
    piEntry("00000003", "00000002", {
      role: "toolResult",
      toolCallId: "t1",
      content: [{ type: "text", text: SECRET }],
    }),
    piEntry("00000004", "00000003", { role: "assistant", content: [{ type: "text", text: "Read it." }] }),
  ]);

const opencode = () => {
  const storage = ".local/share/opencode/storage";
  put(`${storage}/session/pr/ses_1.json`, [{ id: "ses_1", title: "t", time: { created: 1 } }]);
  put(`${storage}/message/ses_1/msg_1.json`, [{ id: "msg_1", role: "user", time: { created: 1 } }]);
  put(`${storage}/message/ses_1/msg_2.json`, [
    { id: "msg_2", role: "assistant", parentID: "msg_1", time: { created: 2 } },
  ]);
  put(`${storage}/message/ses_1/msg_3.json`, [
    { id: "msg_3", role: "assistant", parentID: "msg_1", time: { created: 3 } },
  ]);
  put(`${storage}/part/msg_1/prt_1.json`, [{ id: "prt_1", type: "text", text: "go" }]);
  put(`${storage}/part/msg_3/prt_3.json`, [{ id: "prt_3", type: "text", text: "Read it." }]);
  const state = { status: "completed", input: {}, output: SECRET, time: {} };
  return put(`${storage}/part/msg_2/prt_2.json`, [
    { id: "prt_2", type: "tool", tool: "bash", callID: "t1", state },
  ]);
};

const CASES = [
  { id: "claude:s", make: claude, message: "r1" },
  { id: `codex:${CODEX_ID}`, make: codex, message: "L5" },
  { id: "gemini:session-1", make: gemini, message: "g2" },
  { id: "pi:p1", make: pi, message: "00000003" },
  { id: "opencode:ses_1", make: opencode, message: "msg_2" },
];

const everyByte = (folder: string): string =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

const open = (id: string) => openConversation(id, made.ports);
const forget = async (id: string, ...named: string[]) =>
  forgetMessages(await open(id), { named, ports: made.ports });

describe.each(CASES)("in $id", ({ id, make, message }) => {
  test("a purge leaves the bytes nowhere: transcript, its copies, journal and search index", async () => {
    make();
    expect((await searchConversations({ pattern: "heron", limit: 3 }, made.ports)).results).toHaveLength(1);
    await forget(id, message);
    await undoLast(undefined, made.ports);
    expect(everyByte(made.home)).toContain(SECRET);
    const report = await purgeMessages(await open(id), {
      named: [message],
      dryRun: false,
      ports: made.ports,
    });
    expect(report).toMatchObject({ indexRewritten: true, dryRun: false });
    expect(everyByte(made.home)).not.toContain(SECRET);
    const { conversation } = await open(id);
    const sent = conversation.messages.filter(({ context }) => context === "in");
    expect(sent.flatMap(({ parts }) => parts.map(({ text }) => text))).toEqual(["go", "Read it."]);
    await expect(undoLast(undefined, made.ports)).rejects.toThrow(/nothing to undo/);
  });

  test("a dry run writes nothing at all", async () => {
    make();
    const before = everyByte(made.home);
    const report = await forgetMessages(await open(id), {
      named: [message],
      options: { dryRun: true },
      ports: made.ports,
    });
    expect(report.tokensFreed).toBeGreaterThan(0);
    await purgeMessages(await open(id), { named: [message], dryRun: true, ports: made.ports });
    expect(everyByte(made.home)).toBe(before);
  });

  test("what was forgotten comes back although the conversation has gone on", async () => {
    const path = make();
    const report = await forget(id, message);
    const texts = async (which: string) =>
      (await open(which)).conversation.messages
        .filter(({ context }) => context === "in")
        .flatMap(({ parts }) => parts.map(({ text }) => text));
    const leaf = (await open(report.result)).conversation.messages.findLast(
      ({ context }) => context === "in",
    )?.id;
    const more: Record<string, object> = {
      codex: codexItem(9, { type: "message", role: "user", content: [{ type: "input_text", text: "more" }] }),
      gemini: { id: "g9", timestamp: at(9), type: "user", content: [{ text: "more" }] },
      pi: piEntry("00000009", leaf ?? null, { role: "user", content: "more" }),
    };
    const next = more[id.split(":")[0] ?? ""];
    if (!next) return; // the others do not append: their original or their rows are exact whatever follows
    appendFileSync(path, `${JSON.stringify(next)}\n`);
    expect(await texts(id)).toEqual(["go", "Read it.", "more"]);
    expect((await undoLast(id, made.ports)).way).toBe("appended");
    const after = await texts(id);
    expect(after.some((text) => text.includes(SECRET))).toBe(true);
    expect([after[0], ...after.slice(-2)]).toEqual(["go", "Read it.", "more"]);
  });
});

test("a torn append of ours, after a crash, is cut off again", async () => {
  const path = codex();
  const before = readFileSync(path);
  await forget(`codex:${CODEX_ID}`, "L5");
  const written = readFileSync(path);
  writeFileSync(path, written.subarray(0, before.length + 37));
  expect((await undoLast(undefined, made.ports)).way).toBe("exact");
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a copy that was worked in is kept, and the original is as it was", async () => {
  const path = claude();
  const before = readFileSync(path);
  const report = await forget("claude:s", "r1");
  expect(report.resume).toBe(`claude --resume ${report.result.slice("claude:".length)}`);
  const copy = (await open(report.result)).source.path;
  appendFileSync(copy, "{}\n");
  expect((await undoLast(undefined, made.ports)).way).toBe("kept");
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(statSync(copy).isFile()).toBe(true);
});

test("a conversation a program has open is refused, by name, and nothing is written", async () => {
  const path = codex();
  const script = "require('fs').openSync(process.argv[1],'a');console.log('open');process.stdin.resume()";
  const child = spawn(process.execPath, ["-e", script, path], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const before = everyByte(made.home);
  await expect(forget(`codex:${CODEX_ID}`, "L5")).rejects.toMatchObject({
    code: "locked",
    message: expect.stringContaining(`pid ${child.pid}`),
  });
  expect(everyByte(made.home)).toBe(before);
  child.stdin.end();
  await once(child, "close");
  expect((await forget(`codex:${CODEX_ID}`, "L5")).tokensFreed).toBeGreaterThan(0);
});

test("a transcript that grew between reading and writing is left alone", async () => {
  const path = codex();
  const read = await open(`codex:${CODEX_ID}`);
  appendFileSync(
    path,
    `${JSON.stringify(codexItem(9, { type: "message", role: "user", content: "late" }))}\n`,
  );
  const before = readFileSync(path);
  await expect(forgetMessages(read, { named: ["L5"], ports: made.ports })).rejects.toMatchObject({
    code: "locked",
  });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("the size goes down at once and the figure of the next answer is taken as it is", async () => {
  claude();
  const size = async (id: string) => {
    const { conversation, store } = await open(id);
    const forgotten = findForgotten(made.ports, conversation);
    return contextSize(conversation, { charsPerToken: store.charsPerToken, forgotten });
  };
  const before = await size("claude:s");
  const report = await forget("claude:s", "r1");
  const after = await size(report.result);
  expect(after.tokens).toBe(before.tokens - report.tokensFreed);
  expect(after.source).toBe("usage minus what was forgotten");
  const { source } = await open(report.result);
  const reply = claudeReply("msg_9", [{ type: "text", text: "" }]);
  reply.message.usage.input_tokens = 7000;
  const late = { ...claudeLine("a9", "a2", reply), timestamp: new Date(Date.now() + 60_000).toISOString() };
  appendFileSync(source.path, `${JSON.stringify(late)}\n`);
  expect((await size(report.result)).tokens).toBe(7000);
});

test("a broken conversation is found and repaired by the same means", async () => {
  put(".claude/projects/p/s.jsonl", [
    claudeLine("u1", null, { type: "user", message: { role: "user", content: "go" } }),
    claudeLine("a1", "u1", claudeReply("msg_1", [claudeCall])),
    claudeLine("u2", "a1", { type: "user", message: { role: "user", content: "again" } }),
    claudeLine("a2", "u2", claudeReply("msg_2", [{ type: "text", text: "Yes." }])),
  ]);
  const broken = await open("claude:s");
  expect(diagnose(broken.conversation).broken).toEqual([
    { message: "msg_1", fault: "tool call t1 has no result" },
  ]);
  const report = await repair(broken, { ports: made.ports, dryRun: false });
  const { conversation } = await open(report.result);
  expect(diagnose(conversation).broken).toEqual([]);
  expect(listJournal(made.ports).map(({ what }) => what)).toEqual(["repair"]);
  await expect(repair(await open(report.result), { ports: made.ports, dryRun: false })).rejects.toThrow(
    /sound/,
  );
});

test("a message is found by a piece of its id, alone or with its conversation's", async () => {
  claude();
  const ask = (ids: string[], conversation?: string) =>
    openMessages(ids, { conversation, ports: made.ports });
  expect((await ask(["msg_2"])).named).toEqual(["msg_2"]);
  expect((await ask(["claude:s/msg_1", "claude:s/r"])).named).toEqual(["msg_1", "r1"]);
  expect((await ask(["r1"], "s")).open.conversation.id).toBe("s");
  await expect(ask(["claude:s/msg_"])).rejects.toThrow(/fits 2 messages/);
  await expect(ask(["claude:s/r1", "codex:x/L1"])).rejects.toThrow(/2 conversations/);
  await expect(ask(["nowhere-to-be-found"])).rejects.toMatchObject({ code: "not-found" });
});
