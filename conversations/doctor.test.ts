import { afterEach, beforeEach, expect, test } from "vitest";
import { diagnose, repair } from "./doctor.ts";
import { claudeCall, claudeLine, claudeReply, SecretHome } from "./fixtures/secret-home.ts";
import { listJournal } from "./journal.ts";

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
