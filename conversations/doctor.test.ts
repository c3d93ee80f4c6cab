import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { diagnose, diagnoseSource, repair } from "./doctor.ts";
import { claudeCall, claudeLine, claudeReply, SecretHome } from "./fixtures/secret-home.ts";
import { listJournal } from "./journal.ts";
import { undoLast } from "./undo.ts";

let lab: SecretHome;
beforeEach(() => {
  lab = new SecretHome();
});
afterEach(() => lab.remove());

test("a broken conversation is found and repaired by the same means", async () => {
  lab.put(".claude/projects/p/s.jsonl", [
    claudeLine("u1", null, { type: "user", message: { role: "user", content: "go" } }),
    claudeLine("a1", "u1", claudeReply("msg_1", [claudeCall])),
    claudeLine("u2", "a1", { type: "user", message: { role: "user", content: "again" } }),
    claudeLine("a2", "u2", claudeReply("msg_2", [{ type: "text", text: "Yes." }])),
  ]);
  const broken = await lab.open("claude:s");
  expect(diagnose(broken.conversation).broken).toEqual([
    { message: "msg_1", fault: "tool call t1 has no result" },
  ]);
  const report = await repair(broken, { ports: lab.ports, dryRun: false });
  const { conversation } = await lab.open(report.result);
  expect(diagnose(conversation).broken).toEqual([]);
  expect(listJournal(lab.ports).map(({ what }) => what)).toEqual(["repair"]);
  await expect(repair(await lab.open(report.result), { ports: lab.ports, dryRun: false })).rejects.toThrow(
    /sound/,
  );
});

test("what a missing line has cut off is found, joined again, and left as it was by undo", async () => {
  let minute = 0;
  const later = (): { timestamp: string } => {
    minute += 1;
    return { timestamp: new Date(1.77e12 + minute * 60_000).toISOString() };
  };
  const user = (uuid: string, parent: string | null, content: string) =>
    claudeLine(uuid, parent, { type: "user", message: { role: "user", content }, ...later() });
  const answer = (uuid: string, parent: string, text: string) =>
    claudeLine(uuid, parent, { ...claudeReply(`msg_${uuid}`, [{ type: "text", text }]), ...later() });
  const path = lab.put(".claude/projects/p/s.jsonl", [
    user("u1", null, "one"),
    answer("a1", "u1", "first"),
    user("u2", "lost", "two"),
    answer("a2", "u2", "second"),
    user("u3", "lost, too", "three"),
    answer("a3", "u3", "third"),
  ]);
  const before = readFileSync(path);
  const { source } = await lab.open("claude:s");
  expect((await diagnoseSource(source)).cutOff).toBe(4);
  const report = await repair(await lab.open("claude:s"), { ports: lab.ports, dryRun: false });
  expect(report).toMatchObject({ joined: 4 });
  const joined = await lab.open(report.result);
  const texts = joined.conversation.messages.flatMap(({ context, parts }) =>
    context === "in" ? parts.map(({ text }) => text) : [],
  );
  expect(texts).toEqual(["one", "first", "two", "second", "three", "third"]);
  expect((await diagnoseSource(joined.source)).cutOff).toBeUndefined();
  expect((await undoLast(undefined, lab.ports)).way).toBe("exact");
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a gap of seconds is none: Claude Code goes on with the line before it in time", async () => {
  const said = (uuid: string, parent: string | null, second: number) =>
    claudeLine(uuid, parent, {
      type: "user",
      message: { role: "user", content: uuid },
      timestamp: new Date(1.77e12 + second * 1000).toISOString(),
    });
  const contexts = async (gapSeconds: number) => {
    lab.put(".claude/projects/p/s.jsonl", [said("u1", null, 0), said("u2", "lost", gapSeconds)]);
    const { conversation, source } = await lab.open("claude:s");
    const { cutOff } = await diagnoseSource(source);
    return [...conversation.messages.map(({ context }) => context), cutOff];
  };
  expect(await contexts(5)).toEqual(["in", "in", undefined]);
  expect(await contexts(6)).toEqual(["branch", "in", 1]);
});

test("in pi, too, where it is joined by a branch", async () => {
  const entry = (id: string, parentId: string | null, text: string) => ({
    type: "message",
    id,
    parentId,
    timestamp: "2026-02-01T00:00:00.000Z",
    message: { role: "user", content: [{ type: "text", text }] },
  });
  const path = lab.put(".pi/agent/sessions/--w--/1_p.jsonl", [
    { type: "session", version: 3, id: "p", cwd: "/nowhere" },
    entry("00000001", null, "one"),
    entry("00000002", "0000000f", "two"),
  ]);
  const before = readFileSync(path);
  const report = await repair(await lab.open("pi:p"), { ports: lab.ports, dryRun: false });
  expect(report).toMatchObject({ joined: 1 });
  const { conversation, source } = await lab.open("pi:p");
  const sent = conversation.messages.filter(({ context }) => context === "in");
  expect(sent.flatMap(({ parts }) => parts.map(({ text }) => text))).toEqual(["one", "two"]);
  expect((await diagnoseSource(source)).cutOff).toBeUndefined();
  expect((await undoLast(undefined, lab.ports)).way).toBe("exact");
  expect(readFileSync(path).equals(before)).toBe(true);
});
