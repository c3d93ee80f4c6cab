import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
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
  { title: "when the receipt is written", isThere: () => folder(RECEIPTS).length > 0 },
];

test.each(STEPS)(
  "killed $title, nothing is half-made or left, and the next start goes on",
  async ({ title, isThere }) => {
    const [isPreparing, isGates] = [title.includes("made ready"), title.includes("gates")];
    const prepare = isPreparing ? { prepare: holdInRoom("prepare") } : {};
    night.write("marks/README", "where a room is held up\n");
    night.config = { verify: { ...prepare }, sandbox: { allowWrite: [join(night.root, "marks")] } };
    const request = await night.plan({
      health: isGates ? holdInRoom("gates") : "exit 0",
      parts: [{ steps: FINISH }],
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
