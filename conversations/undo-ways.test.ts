import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  at,
  CLAUDE,
  CODEX,
  codexItem,
  GEMINI,
  PI,
  piEntry,
  SECRET,
  SecretHome,
} from "./fixtures/secret-home.ts";
import { undoLast } from "./undo.ts";

let lab: SecretHome;
beforeEach(() => {
  lab = new SecretHome();
});
afterEach(() => lab.remove());

const said = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

// The others do not append: their original or their rows are exact whatever follows.
test.each([
  { ...CODEX, next: () => codexItem(9, said("more")) },
  { ...GEMINI, next: () => ({ id: "g9", timestamp: at(9), type: "user", content: [{ text: "more" }] }) },
  { ...PI, next: (leaf: string | null) => piEntry("00000009", leaf, { role: "user", content: "more" }) },
])("what was forgotten comes back although $id has gone on", async ({ id, make, message, next }) => {
  const path = make(lab);
  const { result } = await lab.forget(id, message);
  const { conversation } = await lab.open(result);
  const leaf = conversation.messages.findLast(({ context }) => context === "in")?.id ?? null;
  appendFileSync(path, `${JSON.stringify(next(leaf))}\n`);
  expect(await lab.sent(id)).toEqual(["go", "Read it.", "more"]);
  expect((await undoLast(id, lab.ports)).way).toBe("appended");
  const after = await lab.sent(id);
  expect(after.some((text) => text.includes(SECRET))).toBe(true);
  expect([after[0], ...after.slice(-2)]).toEqual(["go", "Read it.", "more"]);
});

test("a torn append of ours, after a crash, is cut off again", async () => {
  const path = CODEX.make(lab);
  const before = readFileSync(path);
  await lab.forget(CODEX.id, "L5");
  const written = readFileSync(path);
  writeFileSync(path, written.subarray(0, before.length + 37));
  expect((await undoLast(undefined, lab.ports)).way).toBe("exact");
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a copy that was worked in is kept, and the original is as it was", async () => {
  const path = CLAUDE.make(lab);
  const before = readFileSync(path);
  const report = await lab.forget("claude:s", "r1");
  expect(report.resume).toBe(`claude --resume ${report.result.slice("claude:".length)}`);
  const copy = (await lab.open(report.result)).source.path;
  appendFileSync(copy, "{}\n");
  expect((await undoLast(undefined, lab.ports)).way).toBe("kept");
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(statSync(copy).isFile()).toBe(true);
});
