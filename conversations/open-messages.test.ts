import { afterEach, beforeEach, expect, test } from "vitest";
import { CLAUDE, SecretHome } from "./fixtures/secret-home.ts";
import { openMessages } from "./open-messages.ts";

let lab: SecretHome;
beforeEach(() => {
  lab = new SecretHome();
});
afterEach(() => lab.remove());

test("a message is found by a piece of its id, alone or with its conversation's", async () => {
  CLAUDE.make(lab);
  const ask = (ids: string[], conversation?: string) => openMessages(ids, { conversation, ports: lab.ports });
  expect((await ask(["msg_2"])).named).toEqual(["msg_2"]);
  expect((await ask(["claude:s/msg_1", "claude:s/r"])).named).toEqual(["msg_1", "r1"]);
  expect((await ask(["r1"], "s")).open.conversation.id).toBe("s");
  await expect(ask(["claude:s/msg_"])).rejects.toThrow(/fits 2 messages/);
  await expect(ask(["claude:s/r1", "codex:x/L1"])).rejects.toThrow(/2 conversations/);
  await expect(ask(["nowhere-to-be-found"])).rejects.toMatchObject({ code: "not-found" });
});
