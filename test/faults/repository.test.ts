// @module-tag long

import { chownSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const promptOf = (session: number) => {
  const event = night.events().find((one) => one.type === "prompt" && one["session"] === session);
  return String(event?.["prompt"]);
};

test("a DONE in a repository that git cannot read is not done; the next session is told, and repairs it", async () => {
  const request = await night.plan({
    health: "exit 0",
    parts: [
      {
        steps: [
          { do: "run", command: "echo x > new.txt; echo broken > .git/index" },
          { do: "say", text: "DONE: all" },
        ],
      },
      {
        steps: [
          { do: "run", command: "rm .git/index; git reset -q; git add -A; git commit -qm repaired" },
          { do: "say", text: "DONE: repaired" },
        ],
      },
    ],
  });
  const state = await night.run(request);
  expect(state).toMatchObject({ status: "complete", session: 2 });
  expect(promptOf(2)).toMatch(/git cannot say whether everything is committed/);
  expect(promptOf(2)).toMatch(/Git does not work here[^]*index file smaller than expected/);
});

// Only root may give a folder away.
test.skipIf(process.getuid?.() !== 0)(
  "a repository of another owner is refused with git's words, and not taken for a folder without one",
  async () => {
    const request = await night.plan({ parts: [{ steps: [{ do: "say", text: "DONE: nothing" }] }] });
    chownSync(request.dir, 12_345, 12_345);
    chownSync(join(request.dir, ".git"), 12_345, 12_345);
    await expect(night.run(request)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/dubious ownership[^]*safe\.directory/),
    });
    expect(existsSync(join(request.dir, ".nightshift"))).toBe(false);
  },
);

test("a directory that vanishes ends the worker, which says so and makes nothing in its place", async () => {
  night.sandbox = "none";
  const request = await night.plan({
    health: "exit 0",
    parts: [
      {
        steps: [
          { do: "run", command: "rm -rf ../night" },
          { do: "say", text: "HANDOFF: gone" },
        ],
      },
    ],
  });
  await expect(night.run(request)).rejects.toMatchObject({ code: "not-found" });
  const dir = join(night.root, "night");
  expect(night.worker()).toMatchObject({
    shown: "failed",
    stopReason: `the working directory ${dir} is gone`,
  });
  expect(existsSync(dir)).toBe(false);
});
