// @module-tag long

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { existsSync } from "node:fs";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { systemClock } from "../../core/clock.ts";
import { findIdentity, isAlive } from "../../core/process-identity.ts";
import { MARKER, endMarked, findMarked, listLiveMarks } from "../../core/process-tree.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
const bystanders: number[] = [];
beforeEach(() => {
  night = new Night();
});
afterEach(async () => {
  for (const pid of bystanders.splice(0)) process.kill(-pid, "SIGKILL");
  await night.dispose();
});

const LOOP = "while :; do sleep 1; done";
/** A process of nobody's session that runs on until it is ended; its traps are set when this resolves. */
const bystander = async (env: Record<string, string>, traps = "") => {
  const child = spawn("/bin/sh", ["-c", `${traps}\necho up; ${LOOP}`], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const { pid = 0 } = child;
  bystanders.push(pid);
  await once(child.stdout, "data");
  const identity = findIdentity(pid);
  if (!identity) throw new Error("the bystander is gone");
  return identity;
};

/** Each leaves something behind that says it is up by a file; the step is over when the file is there. */
const LEFTOVERS: Record<string, string> = {
  "in a session of its own": `setsid sh -c 'echo up > ../up; ${LOOP}' &`,
  "forked twice, its parents gone": `setsid sh -c '(setsid sh -c "echo up > ../up; ${LOOP}" &) ' &`,
  "that ignores SIGTERM, SIGINT and SIGHUP": `setsid sh -c 'trap "" TERM INT HUP; echo up > ../up; ${LOOP}' &`,
  "that starts another when it is ended": `setsid sh -c 'trap "setsid sh -c \\"trap : TERM; ${LOOP}\\" & exit" TERM; echo up > ../up; ${LOOP}' &`,
  "that hands itself on from process to process": `setsid sh -c 'trap "" TERM; echo up > ../up; f() { sleep 0.01; (f &) ; exit; }; f' &`,
  "that wipes its environment": `setsid env -i sh -c 'echo up > ../up; ${LOOP}' &`,
  "that is stopped": `setsid sh -c 'echo up > ../up; kill -STOP $$; ${LOOP}' &`,
};
/** Without `prlimit` (util-linux) the environment is the only mark. */
const canLimit = spawnSync("prlimit", ["--locks=unlimited:", "true"]).status === 0;
const leaving = (command: string): ScriptedStep[] => [
  { do: "run", command: `(${command}) > /dev/null 2>&1; while ! [ -s ../up ]; do sleep 0.02; done` },
];

for (const [what, command] of Object.entries(LEFTOVERS))
  test.skipIf(what.includes("wipes") && !canLimit)(
    `ends a process ${what}, when the session ends`,
    async () => {
      const request = await night.plan({
        health: "exit 0",
        parts: [{ steps: [...leaving(command), ...FINISH] }],
      });
      const state = await night.run(request);
      expect(state.status).toBe("complete");
      expect(existsSync(`${night.root}/up`)).toBe(true);
      // Several looks: what hands itself on quickly is easily missed by one.
      for (let look = 0; look < 20; look++) expect(findMarked(state.sessions[0]?.mark ?? "")).toEqual([]);
    },
  );

const hasNginx = spawnSync("nginx", ["-v"]).status === 0;

test.skipIf(!hasNginx || !canLimit)(
  "ends a daemon that writes its title over its environment (nginx), when the session ends",
  async () => {
    night.sandbox = "none";
    const config = [
      `pid ${night.root}/nginx.pid;`,
      "error_log stderr;",
      "worker_processes 1;",
      "events {}",
      `http { access_log off; client_body_temp_path ${night.root}/t1; proxy_temp_path ${night.root}/t2;`,
      `fastcgi_temp_path ${night.root}/t3; uwsgi_temp_path ${night.root}/t4; scgi_temp_path ${night.root}/t5;`,
      `server { listen unix:${night.root}/nginx.sock; } }`,
    ];
    night.write("nginx.conf", config.join("\n"));
    const command =
      "nginx -c $(cd ..; pwd)/nginx.conf; while ! [ -s ../nginx.pid ]; do sleep 0.02; done; cp ../nginx.pid ../up";
    const request = await night.plan({
      health: "exit 0",
      parts: [{ steps: [{ do: "run", command }, ...FINISH] }],
    });
    expect((await night.run(request)).status).toBe("complete");
    expect(findIdentity(Number(night.read("up")))).toBeUndefined();
  },
);

test("what a crashed supervisor left is ended by the next one, agent and tools, before it rescues", async () => {
  night.sandbox = "none";
  const request = await night.plan({
    health: "exit 0",
    parts: [
      { steps: [...leaving(LEFTOVERS["in a session of its own"] ?? ""), { do: "hang", stubborn: true }] },
      { steps: FINISH },
    ],
  });
  await night.start(request);
  await night.until("the leftover", () => existsSync(`${night.root}/up`));
  await night.kill();
  const { sessions } = night.worker();
  const mark = sessions[0]?.mark ?? "";
  expect(findMarked(mark).length).toBeGreaterThanOrEqual(2); // the agent and its tool live on
  const state = await night.run(await night.resumeRequest());
  expect(state.status).toBe("complete");
  expect(findMarked(mark)).toEqual([]);
  expect(night.log()).toMatch(/ended \d+ leftover process(?:es)? of an earlier session/);
});

test("a bystander with the same command, and one with another session's mark, live on", async () => {
  const same = await bystander({});
  const marked = await bystander({ [MARKER]: "another-session" });
  const similar = await bystander({ [`${MARKER}_OF_MINE`]: "x", X: `${MARKER}=y` });
  const request = await night.plan({
    health: "exit 0",
    parts: [{ steps: [...leaving(LEFTOVERS["in a session of its own"] ?? ""), ...FINISH] }],
  });
  await night.run(request);
  expect([same, marked, similar].map((identity) => isAlive(identity))).toEqual([true, true, true]);
});

test("a mark that is part of another, or begins like it, is another mark", async () => {
  const other = await bystander({ [MARKER]: "mark-1234" });
  const nested = await bystander({ [MARKER]: "outer:mark-12" });
  expect(listLiveMarks().has("mark-1234")).toBe(true);
  const { ended } = await endMarked("mark-12", { clock: systemClock, graceMs: 500 });
  expect(ended).toContainEqual(nested);
  expect(isAlive(nested)).toBe(false);
  expect(isAlive(other)).toBe(true);
  bystanders.splice(bystanders.indexOf(nested.pid), 1);
});

test("a process that heeds SIGTERM gets to clean up; only the others are killed", async () => {
  await bystander({ [MARKER]: "gentle" }, `trap 'echo clean > ${night.root}/clean; exit' TERM`);
  const stubborn = await bystander({ [MARKER]: "gentle" }, 'trap "" TERM');
  const { killed, survivors } = await endMarked("gentle", { clock: systemClock, graceMs: 3_000 });
  expect(night.read("clean")).toBe("clean\n");
  expect(killed.map(({ pid }) => pid)).toContain(stubborn.pid);
  expect(survivors).toEqual([]);
  bystanders.splice(0);
});
