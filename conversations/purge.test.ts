import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLAUDE, CODEX, GEMINI, OPENCODE, PI, SECRET, SecretHome } from "./fixtures/secret-home.ts";
import { forgetMessages } from "./forget.ts";
import { purgeMessages } from "./purge.ts";
import { searchConversations } from "./search.ts";
import { undoLast } from "./undo.ts";

let lab: SecretHome;
beforeEach(() => {
  lab = new SecretHome();
});
afterEach(() => lab.remove());

describe.each([CLAUDE, CODEX, GEMINI, PI, OPENCODE])("in $id", ({ id, make, message }) => {
  test("a purge leaves the bytes nowhere: transcript, its copies, journal and search index", async () => {
    make(lab);
    expect((await searchConversations({ pattern: "heron", limit: 3 }, lab.ports)).results).toHaveLength(1);
    await lab.forget(id, message);
    await undoLast(undefined, lab.ports);
    expect(lab.everyByte()).toContain(SECRET);
    const report = await purgeMessages(await lab.open(id), {
      named: [message],
      dryRun: false,
      ports: lab.ports,
    });
    expect(report).toMatchObject({ indexRewritten: true, dryRun: false });
    expect(lab.everyByte()).not.toContain(SECRET);
    expect(await lab.sent(id)).toEqual(["go", "Read it."]);
    await expect(undoLast(undefined, lab.ports)).rejects.toThrow(/nothing to undo/);
  });

  test("a dry run writes nothing at all", async () => {
    make(lab);
    const before = lab.everyByte();
    const report = await forgetMessages(await lab.open(id), {
      named: [message],
      options: { dryRun: true },
      ports: lab.ports,
    });
    expect(report.tokensFreed).toBeGreaterThan(0);
    await purgeMessages(await lab.open(id), { named: [message], dryRun: true, ports: lab.ports });
    expect(lab.everyByte()).toBe(before);
  });
});
