import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { openEnvelope } from "../../verdict/receipt/envelope.ts";
import { findOwnKey } from "../../verdict/receipt/keys.ts";
import { FINISH, Night } from "../faults/night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const folder = (path: string): string[] => {
  const full = join(night.root, path);
  return existsSync(full) ? readdirSync(full) : [];
};
const ROOMS = "home/.nightshift/rooms";
const RECEIPTS = "workers/night/receipts";

/** Waits in a room, until somebody lets it go on; elsewhere it is green at once. */
const holdInRoom = (name: string): string =>
  `case "$PWD" in */rooms/*) touch "${night.root}/marks/at-${name}"; while [ ! -f "${night.root}/marks/go" ]; do sleep 0.05; done;; esac; exit 0`;

type Step = { title: string; isThere: () => boolean };
const STEPS: Step[] = [
  { title: "while the commit is checked out", isThere: () => folder(ROOMS).length > 0 },
  {
    title: "while the checkout is made ready",
    isThere: () => existsSync(join(night.root, "marks/at-prepare")),
  },
  { title: "while the gates run", isThere: () => existsSync(join(night.root, "marks/at-gates")) },
  {
    title: "while the tests are compared",
    isThere: () => existsSync(join(night.root, "marks/at-tests")),
  },
  { title: "when the receipt is written", isThere: () => folder(RECEIPTS).length > 0 },
];

/** What may change what tests find. */
const CODE: ScriptedStep[] = [
  { do: "run", command: "echo '// line' >> work.mjs && git add -A && git commit -qm line" },
  { do: "say", text: "DONE: one line" },
];

/** A project whose only test waits; its gates do not run it. */
const withHeldTests = (): void => {
  const held = `import { execFileSync } from "node:child_process";
import { test } from "node:test";
test("waits", () => execFileSync("sh", ["-c", ${JSON.stringify(holdInRoom("tests"))}]));
`;
  night.repository("night", "exit 0");
  night.write("night/package.json", '{ "type": "module", "scripts": { "test": "node --test test/" } }\n');
  night.write("night/test/held.test.mjs", held);
  night.git("night", "add", "-A");
  night.git("night", "commit", "-qm", "test");
};

test.each(STEPS)(
  "killed $title, nothing is half-made or left, and the next start goes on",
  async ({ title, isThere }) => {
    const [isPreparing, isGates] = [title.includes("made ready"), title.includes("gates")];
    const prepare = isPreparing ? { prepare: holdInRoom("prepare") } : {};
    night.write("marks/README", "where a room is held up\n");
    night.config = { verify: { ...prepare }, sandbox: { allowWrite: [join(night.root, "marks")] } };
    const isComparing = title.includes("compared");
    if (isComparing) withHeldTests();
    const request = await night.plan({
      health: isGates ? holdInRoom("gates") : "exit 0",
      parts: [{ steps: isComparing ? CODE : FINISH }],
    });
    await night.start(request);
    await night.until(title, isThere);
    await night.kill();
    night.write("marks/go", "");
    const state = await night.finish(await night.resumeRequest());
    expect(state.status).toBe("complete");
    expect(folder(ROOMS)).toEqual([]);
    expect(night.git("night", "worktree", "list").trim().split("\n")).toHaveLength(1);
    const key = findOwnKey(night.env);
    const receipts = folder(RECEIPTS).filter((name) => name.endsWith(".json"));
    expect(receipts.length).toBeGreaterThan(0);
    for (const name of receipts)
      expect(
        openEnvelope(readFileSync(join(night.root, RECEIPTS, name), "utf8"), key ? [key] : []).faults,
      ).toEqual([]);
  },
);

test("killed while the reviewer looks, what it had cost by then is kept, and the next start goes on", async () => {
  const marks = join(night.root, "marks");
  night.write("marks/README", "where a reviewer is held up\n");
  const hold = `touch "${marks}/at-review"; while [ ! -f "${marks}/go" ]; do sleep 0.05; done`;
  const script = night.write(
    "scripts/reviewer.json",
    JSON.stringify({
      parts: [
        {
          steps: [
            { do: "usage", contextTokens: 10, windowTokens: 100, costUsd: 0.25 },
            { do: "run", command: hold },
            { do: "say", text: '{"findings":[]}' },
          ],
        },
      ],
    }),
  );
  night.config = {
    agents: { reviewer: { driver: "scripted", script, state: join(night.root, "reviewer-state.json") } },
    review: { agent: "reviewer" },
    sandbox: { allowWrite: [marks] },
  };
  await night.start(await night.plan({ health: "exit 0", parts: [{ steps: FINISH }] }));
  await night.until("a review", () => existsSync(join(marks, "at-review")));
  await night.kill();
  expect(night.worker()).toMatchObject({ costUsd: 0.25, sessions: [{ reviewCostUsd: 0.25 }] });
  night.write("marks/go", "");
  const state = await night.finish(await night.resumeRequest());
  expect(state).toMatchObject({ status: "complete", costUsd: 0.5, sessions: [{ reviewCostUsd: 0.25 }, {}] });
  expect(folder(ROOMS)).toEqual([]);
  const receipts = folder(RECEIPTS).filter((name) => name.endsWith(".json"));
  expect(receipts).toHaveLength(1);
});
