import { appendFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CLAUDE, claudeLine, claudeReply, SecretHome } from "./fixtures/secret-home.ts";
import { contextSize } from "./size.ts";
import { findForgotten } from "./stale-usage.ts";

let lab: SecretHome;
beforeEach(() => {
  lab = new SecretHome();
});
afterEach(() => lab.remove());

test("the size goes down at once and the figure of the next answer is taken as it is", async () => {
  CLAUDE.make(lab);
  const size = async (id: string) => {
    const { conversation, store } = await lab.open(id);
    const forgotten = findForgotten(lab.ports, conversation);
    return contextSize(conversation, { charsPerToken: store.charsPerToken, forgotten });
  };
  const before = await size("claude:s");
  const report = await lab.forget("claude:s", "r1");
  const after = await size(report.result);
  expect(after.tokens).toBe(before.tokens - report.tokensFreed);
  expect(after.source).toBe("usage minus what was forgotten");
  const { source } = await lab.open(report.result);
  const reply = claudeReply("msg_9", [{ type: "text", text: "" }]);
  reply.message.usage.input_tokens = 7000;
  const late = { ...claudeLine("a9", "a2", reply), timestamp: new Date(Date.now() + 60_000).toISOString() };
  appendFileSync(source.path, `${JSON.stringify(late)}\n`);
  expect((await size(report.result)).tokens).toBe(7000);
});
