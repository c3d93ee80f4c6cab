// @module-tag long

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { isAlive } from "../../core/process-identity.ts";
import { findMarked } from "../../core/process-tree.ts";
import { runRound } from "../../worker/steerer/round.ts";
import { dirKey } from "../../worker/steerer/claim-dirs.ts";
import { needPerson, steer } from "../../worker/steerer/steer.ts";
import { openSteerLog } from "../../worker/steerer/steer-log.ts";
import { steerSettings } from "../../worker/steerer/steer-settings.ts";
import { FINISH } from "./night.ts";
import { HANG, useSteerer } from "./steerer-lab.ts";

const lab = useSteerer();

test("a crashed worker is restarted, its orphans ended and its work saved, and it completes", async () => {
  await lab.startHanging([
    { steps: [{ do: "run", command: "git reset -q --hard; git clean -qfd" }, ...FINISH] },
  ]);
  await lab.night.kill();
  const mark = lab.night.worker().sessions[0]?.mark ?? "";
  expect(findMarked(mark)).not.toEqual([]);
  await lab.round();
  expect(lab.types()).toEqual(["reap", "restart"]);
  expect(findMarked(mark)).toEqual([]);
  await lab.night.untilShown("complete");
  expect(lab.night.git("night", "show", "refs/nightshift/rescue/night/2:work.txt")).toBe("half\n");
});

test("a healthy worker is never touched: same processes, no event, no restart", async () => {
  await lab.startHanging();
  const { supervisor, sessions } = lab.night.worker();
  const before = findMarked(sessions[0]?.mark ?? "");
  await lab.round();
  await lab.round();
  expect(lab.told).toEqual([]);
  expect(isAlive(supervisor)).toBe(true);
  expect(findMarked(sessions[0]?.mark ?? "")).toEqual(before);
  expect(lab.night.worker().supervisor).toEqual(supervisor);
});

test("a round that fails does not end the steerer; it says so once, and goes on when it can", async () => {
  lab.night.repository("night");
  const end = new AbortController();
  const settings = steerSettings({ dirs: [lab.night.root] }, lab.night.loaded(), {
    env: lab.night.env,
    cwd: lab.night.root,
  });
  const log = openSteerLog(
    { home: lab.night.home, now: Date.now, onEvent: (event) => lab.told.push(event) },
    { isDryRun: false },
  );
  const broken = join(lab.night.home, ".steerer", `dir-${dirKey(lab.night.root)}.json`);
  let rounds = 0;
  await steer(
    { clock: systemClock, env: lab.night.env, fetch, home: lab.night.home, log },
    { ...settings, intervalMs: 1 },
    {
      isOnce: false,
      signal: end.signal,
      onRound: () => {
        rounds++;
        if (rounds === 1) {
          rmSync(broken);
          mkdirSync(join(broken, "in the way"), { recursive: true });
        }
        if (rounds === 3) rmSync(broken, { recursive: true });
        if (rounds === 4) end.abort();
      },
    },
  );
  expect(lab.types()).toEqual(["watching", "round-failed"]);
});

test("after three restarts within an hour it gives up, says so once, and saves the work; a resume begins a new budget", async () => {
  await lab.startHanging();
  for (let restart = 1; restart <= 3; restart++) {
    await lab.night.kill();
    await lab.round();
    expect(lab.types().filter((type) => type === "restart")).toHaveLength(restart);
    await lab.night.until("a session", () => lab.night.worker().sessions.length > restart);
    if (restart < 3)
      writeFileSync(join(lab.night.root, "night.script.json"), JSON.stringify({ parts: [{ steps: HANG }] }));
  }
  await lab.night.kill();
  const watched = await lab.round();
  expect(lab.types().slice(-2)).toEqual(["rescue", "gave-up"]);
  expect(lab.told.at(-1)?.message).toMatch(
    /crashed again after 3 restarts within an hour .*worker resume night/,
  );
  expect(needPerson(watched)).toHaveLength(1);
  const count = lab.told.length;
  await lab.round();
  expect(lab.told).toHaveLength(count);

  await lab.night.start(await lab.night.resumeRequest());
  await lab.round();
  await lab.night.kill();
  await lab.round();
  expect(
    lab
      .types()
      .slice(count)
      .filter((type) => type === "restart"),
  ).toHaveLength(1);
  expect(lab.told.at(-1)?.message).toMatch(/restart 1 within the hour/);
});

test("a directory in which another worker works now is not rescued under the old one's name", async () => {
  const old = await lab.night.plan({
    name: "old",
    dir: "night",
    parts: [{ steps: [{ do: "say", text: "DONE: x" }] }],
  });
  await lab.night.finish(old);
  await lab.startHanging();
  await lab.round();
  expect(lab.told).toEqual([]);
});

test("the budget lies with the worker: a new steerer counts on", async () => {
  await lab.startHanging();
  await lab.night.kill();
  writeFileSync(
    join(lab.night.files().folder, "steerer.json"),
    JSON.stringify({
      version: 1,
      restarts: [1, 2, 61].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString()),
      read: { inode: 0, offset: 0 },
    }),
  );
  await lab.round();
  expect(lab.told.find(({ type }) => type === "restart")?.message).toMatch(/restart 3 within the hour/);
});

test("a worker that was asked to stop before it crashed is tidied up and stays down", async () => {
  await lab.startHanging();
  await lab.night.kill();
  const folder = lab.night.files().control;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "000000000000001-x.json"), '{"type":"stop","isNow":false}');
  await lab.round();
  expect(lab.types()).toEqual(["reap", "rescue", "left-alone"]);
  expect(lab.night.worker().shown).toBe("crashed");
});

test("with restarts, reaping and rescue switched off it only says what it sees", async () => {
  await lab.startHanging();
  await lab.night.kill();
  const mark = lab.night.worker().sessions[0]?.mark ?? "";
  await lab.round({ restart: false, reap: false, rescue: false });
  expect(lab.types()).toEqual(["left-alone"]);
  expect(findMarked(mark)).not.toEqual([]);
  expect(lab.night.git("night", "for-each-ref", "refs/nightshift")).toBe("");
});

test("workers of other directories are left alone", async () => {
  await lab.startHanging();
  await lab.night.kill();
  mkdirSync(join(lab.night.root, "nigh"));
  const settings = steerSettings({ dirs: [join(lab.night.root, "nigh")] }, lab.night.loaded(), {
    env: lab.night.env,
    cwd: "/",
  });
  const log = openSteerLog(
    { home: lab.night.home, now: Date.now, onEvent: (event) => lab.told.push(event) },
    { isDryRun: false },
  );
  const watched = await runRound(
    { clock: systemClock, env: lab.night.env, fetch, home: lab.night.home, log },
    settings,
  );
  expect([watched, lab.told]).toEqual([[], []]);
});

test("AGENTS.md that changes is noticed, and who will see it", async () => {
  await lab.startHanging();
  lab.night.write("night/AGENTS.md", "# Rules\n");
  await lab.round();
  expect(lab.told).toEqual([]);
  lab.night.write("night/AGENTS.md", "# Other rules\n");
  await lab.round();
  expect(lab.told).toMatchObject([
    {
      type: "agents-md",
      message: expect.stringMatching(
        /AGENTS\.md of .*night has changed; the next session of night will see it/,
      ),
    },
  ]);
});
