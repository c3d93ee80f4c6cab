import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeShelleyDatabase } from "../agents/shelley/fixtures/documented-schema.ts";
import { isSent } from "./estimate.ts";
import { openConversation } from "./find.ts";
import { emptyHome, type TestHome } from "./fixtures/corpus-home.ts";
import { INVENTED, writeInvented } from "./fixtures/invented.ts";
import { forgetMessages } from "./forget.ts";
import { type JournalEntry, listJournal, saveJournal } from "./journal.ts";
import { conversationPorts } from "./ports.ts";
import { findForgotten } from "./stale-usage.ts";
import { undoLast } from "./undo.ts";
import { writeEdit } from "./write-edit.ts";

let made: TestHome;
beforeEach(() => {
  made = emptyHome();
});
afterEach(() => made.remove());

const TURNS = ["one", "two", "three", "four"].map((name) => ({
  prompt: `prompt ${name}`,
  answers: [{ text: `answer ${name}`, calls: [`call ${name}`], isBranchy: false }],
}));

const open = (id: string) => openConversation(id, made.ports);

const sentTexts = async (id: string): Promise<string[]> =>
  (await open(id)).conversation.messages
    .filter(isSent)
    .flatMap(({ parts }) => parts.flatMap(({ kind, text }) => (kind === "notice" ? [] : [text.trim()])))
    .filter(Boolean);

const forgetSaying = async (id: string, said: string) => {
  const found = await open(id);
  const named = found.conversation.messages.find(
    (message) => isSent(message) && message.parts.some(({ text }) => text === said),
  );
  return forgetMessages(found, { named: [named?.id ?? ""], ports: made.ports });
};

const prompts = {
  codex: (text: string) => ({
    timestamp: "2026-06-01T00:00:00.000Z",
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
  }),
  gemini: (text: string) => ({
    id: text,
    timestamp: "2026-06-01T00:00:00.000Z",
    type: "user",
    content: [{ text }],
  }),
  pi: (text: string, parentId: string) => ({
    type: "message",
    id: text.replaceAll(" ", "-"),
    parentId,
    timestamp: "2026-06-01T00:00:00.000Z",
    message: { role: "user", content: [{ type: "text", text }] },
  }),
} as const;

type Appending = keyof typeof prompts;

/** What codex writes again each time it resumes a thread. */
const harness = () =>
  ["developer", "user"].map((role) => ({
    timestamp: "2026-06-01T00:00:00.000Z",
    type: "response_item",
    payload: {
      type: "message",
      role,
      content: [{ type: "input_text", text: "<environment_context>x</environment_context>" }],
    },
  }));

const goOn = async (agent: Appending, path: string, text: string): Promise<void> => {
  const { conversation } = await open(INVENTED[agent].id);
  const leaf = conversation.messages.findLast(isSent)?.id ?? "";
  const lines = [...(agent === "codex" ? harness() : []), prompts[agent](text, leaf)];
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
};

describe.each(Object.keys(prompts) as Appending[])("two forgets of one conversation of %s", (agent) => {
  const { id } = INVENTED[agent];

  test("are taken back in turn, byte for byte; the earlier one not before the later", async () => {
    const path = writeInvented(made.home, agent, TURNS);
    const before = readFileSync(path);
    const first = await forgetSaying(id, "prompt two");
    const second = await forgetSaying(id, "prompt three");
    await expect(undoLast(first.journal, made.ports)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`ctx undo ${second.journal}`),
    });
    expect((await undoLast(undefined, made.ports)).journal).toBe(second.journal);
    expect((await undoLast(undefined, made.ports)).way).toBe("exact");
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("take the ids that were listed before the first", async () => {
    writeInvented(made.home, agent, TURNS);
    const { conversation } = await open(id);
    const saying = (said: string) =>
      conversation.messages.find(({ parts }) => parts.some(({ text }) => text === said))?.id ?? "";
    for (const said of ["prompt two", "prompt three"])
      await forgetMessages(await open(id), { named: [saying(said)], ports: made.ports });
    const left = await sentTexts(id);
    expect(left).toContain("prompt four");
    expect(left.join()).not.toMatch(/prompt (two|three)/);
    const again = forgetMessages(await open(id), { named: [saying("prompt two")], ports: made.ports });
    await expect(again).rejects.toMatchObject({ code: "bad-data" });
  });

  test("come back whole and once, although the conversation went on after each", async () => {
    const path = writeInvented(made.home, agent, TURNS);
    const whole = await sentTexts(id);
    await forgetSaying(id, "prompt two");
    await goOn(agent, path, "more after one");
    await forgetSaying(id, "prompt three");
    await goOn(agent, path, "more after two");
    expect((await undoLast(id, made.ports)).way).toBe("appended");
    await goOn(agent, path, "more after undo");
    expect((await undoLast(id, made.ports)).way).toBe("appended");
    expect(await sentTexts(id)).toEqual([...whole, "more after one", "more after two", "more after undo"]);
  });
});

describe("an edit that was never written", () => {
  const { id } = INVENTED.codex;
  const planned = async (): Promise<JournalEntry> => {
    const found = await open(id);
    const named = found.conversation.messages.find(({ role }) => role === "tool")?.id ?? "";
    const { journal } = await forgetMessages(found, { named: [named], ports: made.ports });
    const entry = listJournal(made.ports).find((each) => each.id === journal);
    await undoLast(undefined, made.ports);
    if (!entry) throw new Error("no journal entry");
    return entry;
  };

  test("is undone without touching what came instead, and takes nothing off the size", async () => {
    const path = writeInvented(made.home, "codex", TURNS);
    const usage = { info: { last_token_usage: { input_tokens: 9000, output_tokens: 10 } } };
    appendFileSync(
      path,
      `${JSON.stringify({ type: "event_msg", payload: { type: "token_count", ...usage } })}\n`,
    );
    const entry = await planned();
    saveJournal(made.ports, entry); // killed before the transcript was written
    expect(findForgotten(made.ports, (await open(id)).conversation)).toBeUndefined();
    await goOn("codex", path, "more");
    const bytes = readFileSync(path);
    expect((await undoLast(undefined, made.ports)).note).toContain("had not been written");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test("because the file had grown leaves no trace in the journal", async () => {
    const path = writeInvented(made.home, "codex", TURNS);
    const read = await open(id);
    await goOn("codex", path, "late");
    const named = [read.conversation.messages[1]?.id ?? ""];
    await expect(forgetMessages(read, { named, ports: made.ports })).rejects.toMatchObject({
      code: "locked",
    });
    expect(listJournal(made.ports)).toEqual([]);
  });

  test.skipIf(!existsSync("/dev/full"))("because the disk is full is said so", async () => {
    const write = { kind: "append", path: "/dev/full", content: "x" } as const;
    await expect(writeEdit(write, { path: "/dev/full", sizeBytes: 0 })).rejects.toMatchObject({
      code: "storage-full",
    });
  });
});

test("a conversation is named by a piece of its id, if it fits no other", async () => {
  for (const agent of ["codex", "pi"] as const) {
    writeInvented(made.home, agent, TURNS);
    await forgetSaying(INVENTED[agent].id, "prompt two");
  }
  await expect(undoLast("nowhere", made.ports)).rejects.toMatchObject({ code: "not-found" });
  await expect(undoLast("", made.ports)).rejects.toMatchObject({ code: "not-found" });
  await expect(undoLast("pi:", made.ports)).resolves.toMatchObject({ conversation: INVENTED.pi.id });
});

test("rows that changed since they were read are left alone", async () => {
  const path = join(made.home, "shelley.db");
  makeShelleyDatabase(path);
  const ports = conversationPorts({ HOME: made.home, NIGHTSHIFT_SHELLEY_DB: path });
  const [first, second] = [await openConversation("shelley:c1", ports), await openConversation("c1", ports)];
  await forgetMessages(first, { named: ["m5"], ports });
  await expect(forgetMessages(second, { named: ["m8"], ports })).rejects.toMatchObject({ code: "locked" });
  expect(listJournal(ports)).toHaveLength(1);
});
