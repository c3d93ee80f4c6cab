// @module-tag long

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
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

/** Marks a place, and waits there until somebody lets it go on. */
const hold = (name: string): string =>
  `touch "${night.root}/marks/at-${name}"; while [ ! -f "${night.root}/marks/go" ]; do sleep 0.05; done`;

/** Holds in a room; elsewhere it is green at once. */
const holdInRoom = (name: string): string => `case "$PWD" in */rooms/*) ${hold(name)};; esac; exit 0`;

/** Gates that are green in a room the first time, and are held when they run there once more. */
const holdAgain = (name: string): string => {
  const first = `"${night.root}/marks/first"`;
  return `case "$PWD" in */rooms/*) if [ -f ${first} ]; then ${hold(name)}; fi; touch ${first};; esac; exit 0`;
};

const isAt = (name: string): boolean => existsSync(join(night.root, "marks", `at-${name}`));

/** An agent that does one thing, and commits it. */
const doing = (command: string): ScriptedStep[] => [
  { do: "run", command: `${command} && git add -A && git commit -qm work` },
  { do: "say", text: "DONE: one line" },
];

type Step = {
  title: string;
  isThere: () => boolean;
  health?: () => string;
  prepare?: () => string;
  steps?: ScriptedStep[];
  mayChange?: string[];
  before?: () => void;
};

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

/** A project with something beside its tests. */
const withTestData = (): void => {
  night.repository("night", holdAgain("base"));
  night.write("night/test/names.txt", "Ann\n");
  night.git("night", "add", "-A");
  night.git("night", "commit", "-qm", "test");
};

/** A git that waits before it puts a note to a commit. */
const withSlowNotes = (): void => {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  night.write(
    "bin/git",
    `#!/bin/sh\ncase "$*" in *notes*nightshift*add*) ${hold("note")};; esac\nexec ${real} "$@"\n`,
    0o755,
  );
  night.env["PATH"] = `${join(night.root, "bin")}:${night.env["PATH"]}`;
};

const STEPS: Step[] = [
  { title: "while the commit is checked out", isThere: () => folder(ROOMS).length > 0 },
  {
    title: "while the checkout is made ready",
    isThere: () => isAt("prepare"),
    prepare: () => holdInRoom("prepare"),
  },
  { title: "while the gates run", isThere: () => isAt("gates"), health: () => holdInRoom("gates") },
  {
    title: "while the tests are compared",
    isThere: () => isAt("tests"),
    before: withHeldTests,
    steps: doing("echo '// line' >> work.mjs"), // prose would change no test
  },
  {
    title: "while the gates run with the tests of the base",
    isThere: () => isAt("base"),
    before: withTestData,
    steps: doing("echo Bob >> test/names.txt"),
  },
  {
    title: "while the gates of the base run",
    isThere: () => isAt("base"),
    health: () => holdAgain("base"),
    steps: doing("echo '# more' >> gates/health.sh"),
    mayChange: ["gates/**"],
  },
  { title: "when the receipt is written", isThere: () => folder(RECEIPTS).length > 0 },
  { title: "between the receipt and its note", isThere: () => isAt("note"), before: withSlowNotes },
];

test.each(STEPS)(
  "killed $title, nothing is half-made or left, and the next start goes on",
  async ({ title, isThere, health, prepare, steps = FINISH, mayChange, before }) => {
    night.write("marks/README", "where a room is held up\n");
    night.config = {
      verify: prepare ? { prepare: prepare() } : {},
      sandbox: { allowWrite: [join(night.root, "marks")] },
    };
    before?.();
    const request = await night.plan({
      health: health?.() ?? "exit 0",
      parts: [{ steps }],
      ...(mayChange ? { mayChange } : {}),
    });
    await night.start(request);
    await night.until(title, isThere);
    await night.kill();
    night.write("marks/go", "");
    const state = await night.finish(await night.resumeRequest());
    expect(state.status).toBe("complete");
    expect(folder(ROOMS)).toEqual([]);
    expect(night.git("night", "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(night.git("night", "status", "--porcelain")).toBe("");
    const receipts = folder(RECEIPTS);
    expect(receipts.filter((name) => !/^\d{3}\.json$/.test(name))).toEqual([]);
    expect(receipts.map(faultsOf)).toEqual(receipts.map(() => []));
    const newest = night.read(join(RECEIPTS, receipts.toSorted().at(-1) ?? "")).trim();
    expect(night.git("night", "notes", "--ref=nightshift", "show", "HEAD")).toContain(newest);
  },
);

/** What is wrong with a receipt, by the key of this user. */
const faultsOf = (name: string): string[] => {
  const key = findOwnKey(night.env);
  return openEnvelope(night.read(join(RECEIPTS, name)), key ? [key] : []).faults;
};

test("killed while the reviewer looks, what it had cost by then is kept, and the next start goes on", async () => {
  const marks = join(night.root, "marks");
  night.write("marks/README", "where a reviewer is held up\n");
  const script = night.write(
    "scripts/reviewer.json",
    JSON.stringify({
      parts: [
        {
          steps: [
            { do: "usage", contextTokens: 10, windowTokens: 100, costUsd: 0.25 },
            { do: "run", command: hold("review") },
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
  await night.until("a review", () => isAt("review"));
  await night.kill();
  expect(night.worker()).toMatchObject({ costUsd: 0.25, sessions: [{ reviewCostUsd: 0.25 }] });
  night.write("marks/go", "");
  const state = await night.finish(await night.resumeRequest());
  expect(state).toMatchObject({ status: "complete", costUsd: 0.5, sessions: [{ reviewCostUsd: 0.25 }, {}] });
  expect(folder(ROOMS)).toEqual([]);
  const receipts = folder(RECEIPTS).filter((name) => name.endsWith(".json"));
  expect(receipts).toHaveLength(1);
});
