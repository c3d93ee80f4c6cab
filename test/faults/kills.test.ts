// @module-tag long

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Part } from "../../agents/scripted/script.ts";
import { type ChildIdentity, isAlive } from "../../core/process-identity.ts";
import { findMarked, listLiveMarks, signalProcess } from "../../core/process-tree.ts";
import { listRescues } from "../../worker/session/stored-rescues.ts";
import { createGit } from "../../core/git.ts";
import { listWorkers } from "../../worker/state/worker-store.ts";
import { createRandom, pick } from "../random.ts";
import { findKind, VICTIM_KINDS, type VictimKind } from "../victims.ts";
import { Night } from "./night.ts";

/** `.ci/run` asks for 50. */
const KILLS = Number(process.env["NIGHTSHIFT_WORKER_KILLS"] ?? 10);
const SEED = Number(process.env["NIGHTSHIFT_SEED"] ?? Date.now() % 1_000_000);
const NAMES = ["ant", "bee", "cat", "dog", "eel"];
const STEERER = resolve(import.meta.dirname, "../../dist/scripts/steerer.js");

let night: Night;
let steerer: ChildProcess | undefined;
beforeEach(() => {
  night = new Night();
});
afterEach(async () => {
  if (steerer?.exitCode === null && steerer.signalCode === null) {
    steerer.kill("SIGKILL");
    await once(steerer, "exit");
  }
  await night.dispose();
});

/** Every session throws away what lies uncommitted, then writes lines, commits some, and waits for the end. */
const part = (name: string): Part => ({
  steps: [
    { do: "run", command: `rm -f ../account/${name}.idle; git reset -q --hard; git clean -qfd` },
    {
      do: "repeat",
      times: 100,
      steps: [
        {
          do: "run",
          // The account is written behind the work: a line in it was certainly written.
          command: `[ -e ../enough ] && exit; read line < /proc/sys/kernel/random/uuid; echo $line >> work.txt && echo $line >> ../account/${name}`,
        },
        { do: "run", command: "[ -e ../enough ] || { git add -A && git commit -qm more; }" },
      ],
    },
    { do: "run", command: `touch ../account/${name}.idle` },
    { do: "waitForFile", file: "../enough" },
    { do: "run", command: "git add -A; git commit -qm rest" },
    { do: "say", text: "DONE: all lines" },
  ],
});

const accountOf = (name: string): string[] => {
  const path = join(night.root, "account", name);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
};

const victims = (name: string, kind: VictimKind): ChildIdentity[] => {
  const { supervisor, sessions } = night.worker(name);
  if (kind === "supervisor") return isAlive(supervisor) ? [supervisor] : [];
  const marked = findMarked(sessions.at(-1)?.mark ?? "");
  return marked.filter(({ pid }) => findKind(pid) === kind);
};

const random = createRandom(SEED);

/** Kills one process of a worker once it has written a few more lines; true when something was hit. */
const strike = async (name: string, kind: VictimKind): Promise<boolean> => {
  const written = accountOf(name).length + Math.floor(random() * 3);
  await night.until(
    `${name} at work`,
    () =>
      (accountOf(name).length >= written || existsSync(join(night.root, `account/${name}.idle`))) &&
      victims(name, "supervisor").length > 0,
  );
  const found = victims(name, kind);
  return found.length > 0 && signalProcess(pick(random, found), "SIGKILL");
};

test(`${KILLS} kills of supervisors, agents, tools and git (seed ${SEED}): every worker completes, no line is lost, nothing is left running`, async () => {
  mkdirSync(join(night.root, "account"));
  const requests = [];
  for (const name of NAMES)
    requests.push(
      await night.plan({
        name,
        health: "exit 0",
        max: 10_000,
        limits: { sameErrors: 10_000, stalledSessions: 10_000 },
        parts: [part(name)],
      }),
    );
  night.config = {
    ...night.config,
    steerer: { intervalSeconds: 0.1, policies: { restartsPerHour: 10_000 } },
  };
  night.write("agent.config.json", JSON.stringify(night.config));
  steerer = spawn(process.execPath, [STEERER, "--json"], {
    cwd: night.root,
    env: night.env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const request of requests) await night.start(request);

  const hits: Record<VictimKind, number> = { supervisor: 0, agent: 0, tool: 0, git: 0 };
  const sum = () => Object.values(hits).reduce((all, count) => all + count);
  // One striker a worker: they recover side by side.
  await Promise.all(
    NAMES.map(async (name) => {
      while (sum() < KILLS) {
        const kind = pick(random, VICTIM_KINDS);
        if (await strike(name, kind)) hits[kind]++;
      }
    }),
  );
  night.write("enough", "");
  for (const name of NAMES) await night.untilShown("complete", name);
  await night.until("the last supervisors gone", () =>
    listWorkers(night.home).workers.every(({ supervisor }) => !isAlive(supervisor)),
  );

  if (KILLS >= 50) expect(Math.min(...Object.values(hits))).toBeGreaterThan(0);
  const live = listLiveMarks();
  for (const { sessions } of listWorkers(night.home).workers)
    expect(sessions.filter(({ mark }) => live.has(mark))).toEqual([]);
  for (const name of NAMES) {
    const refs = (await listRescues(createGit(join(night.root, name), night.env), name)).map(
      ({ ref }) => ref,
    );
    const kept = new Set(
      ["HEAD", ...refs].flatMap((ref) => night.git(name, "show", `${ref}:work.txt`).split("\n")),
    );
    expect(accountOf(name).length).toBeGreaterThan(0);
    expect(accountOf(name).filter((line) => !kept.has(line))).toEqual([]);
    expect(night.git(name, "status", "--porcelain")).toBe("");
  }
}, 1_500_000);
