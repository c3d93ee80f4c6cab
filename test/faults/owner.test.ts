// @module-tag long

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { readLockOwner } from "../../core/lock-owner.ts";
import { findMarked } from "../../core/process-tree.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const WORKER = resolve(import.meta.dirname, "../../dist/scripts/worker.js");
const until = (file: string): ScriptedStep => ({ do: "waitForFile", file: `../${file}` });

test("whoever takes a directory over ends the dead owner's agent first, whatever its name was and wherever its state lies", async () => {
  night.sandbox = "none";
  const request = await night.plan({
    name: "one",
    dir: "repo",
    parts: [
      {
        steps: [
          { do: "run", command: "setsid sh -c 'touch ../up; while :; do sleep 1; done' > /dev/null 2>&1 &" },
          until("up"),
          { do: "hang", stubborn: true },
        ],
      },
    ],
  });
  await night.start(request);
  await night.until("the tool", () => existsSync(join(night.root, "up")));
  await night.kill("one");
  const mark = night.worker("one").sessions[0]?.mark ?? "";
  expect(findMarked(mark).length).toBeGreaterThanOrEqual(2);
  rmSync(night.home, { recursive: true }); // as another HOME: nothing is known but the lock in the tree
  const look = `grep -la ${mark} /proc/[0-9]*/environ > ../seen; true`;
  const other = await night.plan({
    name: "two",
    dir: "repo",
    parts: [{ steps: [{ do: "run", command: look }, ...FINISH] }],
  });
  await night.run(other);
  // The shell that looks has the mark in its own arguments only.
  expect(night.read("seen")).toBe("");
  expect(night.log("two")).toMatch(/ended \d+ leftover process(?:es)? of an earlier session/);
});

test("outside git a directory stays one worker's, also when its agent makes a repository there; no lock gets into it", async () => {
  mkdirSync(join(night.root, "plain/sub"), { recursive: true });
  const init = "git init -q . && git add -A && git commit -qm all --allow-empty && touch ../made";
  const request = await night.plan({
    name: "one",
    dir: "plain",
    parts: [
      { steps: [{ do: "run", command: init }, until("go"), { do: "say", text: "HANDOFF: x" }] },
      { steps: FINISH },
    ],
  });
  await night.start(request);
  await night.until("the repository", () => existsSync(join(night.root, "made")));
  const start = (name: string, dir: string, env: Record<string, string> = {}) =>
    spawnSync(process.execPath, [WORKER, "start", name, "--task", "x", "--agent", "scripted", "--dir", dir], {
      cwd: night.root,
      env: { ...night.env, ...env },
      encoding: "utf8",
    });
  night.write("plain/agent.config.json", JSON.stringify({ agents: { scripted: { script: "none" } } }));
  const others = [
    start("two", "plain"),
    start("two", "plain/sub"),
    start("two", "plain", { WORKERS_HOME: join(night.root, "other") }),
  ];
  for (const { status, stderr } of others) {
    expect(stderr).toMatch(/held by worker "one" \(pid \d+, since .*\); stop it with: worker stop one/);
    expect(status).toBe(75);
  }
  night.write("go", "");
  await night.until("the second session", () => night.worker("one").status === "unverified");
  expect(night.git("plain", "ls-files")).not.toMatch(/\.lock/);
  expect(existsSync(join(night.root, "plain/.git/nightshift"))).toBe(true); // taken there, too
});

/** Puts another's lock in the place of one. */
const steal = (path: string): void => {
  const thief = {
    ...readLockOwner(path),
    host: "elsewhere",
    bootId: "another",
    label: 'worker "thief"',
    claim: "c",
  };
  renameSync(night.write("forged", JSON.stringify(thief)), path);
};

const TAKEN = /^lost its lock: the git worktree of .* is held by worker "thief" \(pid \d+ on elsewhere, /;

const betweenSessions = async (change: (lock: string) => void) => {
  const request = await night.plan({
    health: "exit 0",
    parts: [{ steps: [until("go"), { do: "say", text: "HANDOFF: half" }] }, { steps: FINISH }],
  });
  const ended = night.run(request);
  await night.until("the first session", () => night.events().some(({ type }) => type === "started"));
  const lock = join(night.root, "night/.git/nightshift/worker.lock");
  change(lock);
  night.write("go", "");
  return { state: await ended, lock };
};

test("a supervisor whose lock somebody else has begins no other session, says who has it, and leaves it to them", async () => {
  const { state, lock } = await betweenSessions(steal);
  expect(state).toMatchObject({ status: "stopped", session: 1 });
  expect(state.stopReason).toMatch(TAKEN);
  expect(readLockOwner(lock)?.claim).toBe("c");
});

test("a supervisor whose lock file was removed takes it again and goes on", async () => {
  const { state } = await betweenSessions((path) => rmSync(path));
  expect(state).toMatchObject({ status: "complete", session: 2 });
});

test("a supervisor whose lock somebody takes in the middle of a session notices at its heartbeat and ends the agent; a removed file it makes again", async () => {
  const request = await night.plan({ parts: [{ steps: [until("never")] }] });
  const ended = night.run(request, { beatMs: 20 });
  await night.until("the session", () => night.events().some(({ type }) => type === "started"));
  const lock = join(night.root, "night/.git/nightshift/worker.lock");
  const own = readLockOwner(lock)?.claim;
  rmSync(lock);
  await night.until("the lock again", () => readLockOwner(lock)?.claim === own);
  steal(lock);
  const state = await ended;
  expect(state).toMatchObject({ status: "stopped", session: 1 });
  expect(state.stopReason).toMatch(TAKEN);
  expect(readLockOwner(lock)?.claim).toBe("c");
  expect(findMarked(state.sessions[0]?.mark ?? "")).toEqual([]);
});
