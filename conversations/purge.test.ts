import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openConversation } from "./find.ts";
import { emptyHome, type TestHome } from "./fixtures/corpus-home.ts";
import { forgetMessages } from "./forget.ts";
import { purgeMessages } from "./purge.ts";
import { markPurging } from "./purging.ts";
import { searchConversations } from "./search.ts";
import { indexFolder } from "./search-index/manifest.ts";
import { markPurge } from "./search-index/update.ts";
import { undoLast } from "./undo.ts";
import { writeEdit } from "./write-edit.ts";

let made: TestHome;
beforeEach(() => {
  made = emptyHome();
});
afterEach(() => made.remove());

const SECRET = "ghp_purgemepurgemepurgemepurgeme0123456789";
const PIN = "pin 4711 0815"; // not shaped like a secret, and short

const put = (path: string, records: readonly object[]): string => {
  const full = join(made.home, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return full;
};

const everyByte = (folder = made.home): string =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

const claude = () => {
  const line = (uuid: string, parentUuid: string | null, rest: object) => ({
    uuid,
    parentUuid,
    sessionId: "s",
    cwd: "/nowhere",
    timestamp: "2026-02-01T00:00:00.000Z",
    ...rest,
  });
  const says = (id: string, content: object) => ({
    type: "assistant",
    message: { id, role: "assistant", model: "claude-opus-4-5", content: [content] },
  });
  return put(".claude/projects/p/s.jsonl", [
    line("u1", null, { type: "user", message: { role: "user", content: `the key is ${SECRET}, use it` } }),
    line("a1", "u1", says("msg_1", { type: "tool_use", id: "t1", name: "Bash", input: { command: "env" } })),
    line("r1", "a1", {
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: `K=${SECRET}` }],
      },
      toolUseResult: { stdout: `K=${SECRET}` },
    }),
    line("a2", "r1", says("msg_2", { type: "text", text: "Seen." })),
    { type: "summary", summary: `Used ${SECRET}`, leafUuid: "a2" },
    { type: "file-history-snapshot", messageId: "u1", snapshot: { text: SECRET } },
  ]);
};

const CODEX = "codex:0199aaaa-0000-7000-8000-000000000001";
const codex = () => {
  const line = (type: string, payload: object) => ({ timestamp: "2026-02-01T00:00:00.000Z", type, payload });
  const said = (role: string, text: string) =>
    line("response_item", { type: "message", role, content: [{ type: "input_text", text }] });
  const command = { cmd: `echo ${PIN}` };
  return put(`.codex/sessions/2026/02/01/rollout-1-${CODEX.slice(6)}.jsonl`, [
    line("session_meta", { id: CODEX.slice(6), cwd: "/nowhere" }),
    said("user", "go"),
    said("assistant", "Going."),
    said("user", PIN),
    line("event_msg", { type: "user_message", message: PIN }),
    line("response_item", {
      type: "function_call",
      name: "exec",
      arguments: JSON.stringify(command),
      call_id: "t1",
    }),
    line("event_msg", { type: "exec_command_end", call_id: "t1", command: ["sh", "-c", `echo ${PIN}`] }),
    line("response_item", { type: "function_call_output", call_id: "t1", output: `said: ${PIN}` }),
    said("assistant", "Done."),
  ]);
};

const purge = async (id: string, ...named: string[]) =>
  purgeMessages(await openConversation(id, made.ports), { named, dryRun: false, ports: made.ports });

test("a secret goes from every record of its transcript, and other places that hold it are named", async () => {
  const path = claude();
  const history = join(made.home, ".claude", "history.jsonl");
  writeFileSync(history, `${JSON.stringify({ display: `the key is ${SECRET}, use it` })}\n`);
  const open = await openConversation("claude:s", made.ports);
  const { result } = await forgetMessages(open, { named: ["r1"], ports: made.ports });
  await searchConversations({ pattern: "key", limit: 1 }, made.ports);
  const report = await purge("claude:s", "r1");
  expect(readFileSync(path, "utf8")).not.toContain(SECRET);
  expect(readFileSync(path, "utf8")).toContain("the key is [purged], use it");
  expect(report.remains).toEqual([]);
  expect(report.elsewhere).toEqual([`${result}/u1`, history]);
  await purge(result, "u1");
  writeFileSync(history, "");
  expect(everyByte()).not.toContain(SECRET);
});

test("a short text goes from the records that show it, and a call from those of its events", async () => {
  const path = codex();
  expect((await purge(CODEX, "L4", "L6")).remains).toEqual([]);
  expect(readFileSync(path, "utf8")).not.toContain(PIN);
});

test("another message that says the same is kept, and named", async () => {
  const path = codex();
  const more = { type: "message", role: "user", content: [{ type: "input_text", text: `again: ${PIN}` }] };
  writeFileSync(
    path,
    `${readFileSync(path, "utf8")}${JSON.stringify({ timestamp: "2026-02-01T00:00:00.000Z", type: "response_item", payload: more })}\n`,
  );
  const report = await purge(CODEX, "L4", "L6");
  expect(report.remains).toEqual([expect.stringContaining(path)]);
  expect(readFileSync(path, "utf8")).toContain(`again: ${PIN}`);
});

test("one that was killed after the transcript was rewritten is finished by the next edit and search", async () => {
  const path = codex();
  const open = await openConversation(CODEX, made.ports);
  await searchConversations({ pattern: PIN, limit: 1 }, made.ports);
  await forgetMessages(open, { named: ["L6"], ports: made.ports });
  const again = await openConversation(CODEX, made.ports);
  const ids = again.conversation.messages.flatMap(({ id, parts }) =>
    parts.some(({ text }) => text.includes(PIN)) ? [id] : [],
  );
  markPurging(made.ports, { agent: "codex", conversation: again.conversation.id });
  markPurge(indexFolder(made.ports));
  await writeEdit(again.store.purge(again, new Set(ids)), again.source);
  expect(readFileSync(path, "utf8")).not.toContain(PIN);
  expect(everyByte(), "the journal and the index still hold it").toContain(PIN);
  await searchConversations({ pattern: "anything", limit: 1 }, made.ports);
  await expect(undoLast(undefined, made.ports)).rejects.toMatchObject({ code: "not-found" });
  expect(everyByte()).not.toContain(PIN);
});

test("a search after one that was killed takes the text out of an index that is otherwise up to date", async () => {
  const path = codex();
  await searchConversations({ pattern: PIN, limit: 1 }, made.ports);
  const again = await openConversation(CODEX, made.ports);
  const ids = again.conversation.messages.flatMap(({ id, parts }) =>
    parts.some(({ text }) => text.includes(PIN)) ? [id] : [],
  );
  await writeEdit(again.store.purge(again, new Set(ids)), again.source);
  await searchConversations({ pattern: PIN, limit: 1 }, made.ports);
  expect(readFileSync(path, "utf8")).not.toContain(PIN);
  expect(everyByte(), "a segment still holds it").toContain(PIN);
  markPurge(indexFolder(made.ports));
  await searchConversations({ pattern: "anything", limit: 1 }, made.ports);
  expect(everyByte()).not.toContain(PIN);
});

test("what killed edits have left half-written goes too", async () => {
  const path = claude();
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "close");
  const leftover = (folder: string, name: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `.${name}.${child.pid}.0a1b2c3d.tmp`), SECRET);
  };
  leftover(dirname(path), "s.jsonl");
  leftover(join(made.home, ".nightshift", "ctx", "journal"), "1.json");
  await purge("claude:s", "r1", "u1");
  expect(everyByte()).not.toContain(SECRET);
});
