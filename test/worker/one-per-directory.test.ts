// @module-tag long

import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HANG, START, WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

test("refuses a second start with exit 75 and the holder's name, also through a symlink and from another HOME", async () => {
  lab.play(HANG);
  await lab.start("first");
  const link = join(lab.folder, "link");
  symlinkSync(lab.repository, link);
  mkdirSync(join(lab.repository, "sub"));
  const attempts = [
    await lab.worker("start", "second", ...START),
    await lab.worker("start", "second", ...START, "--dir", link),
    await lab.run("worker", ["start", "second", ...START], { env: { HOME: join(lab.folder, "other") } }),
    await lab.worker("start", "second", ...START, "--dir", "sub"),
    await lab.worker("start", "first", ...START),
  ];
  for (const { code, err } of attempts) {
    expect(code).toBe(75);
    expect(err).toMatch(/first.*\(pid \d+, since .*\); stop it with: worker stop first/);
  }
  expect(lab.state("second")).toBeUndefined();
  // A refusal is told to the one who asked, and leaves nothing behind.
  expect(["second", "second.log"].filter((name) => existsSync(join(lab.workers, name)))).toEqual([]);
  expect(readFileSync(join(lab.workers, "first.log"), "utf8")).not.toMatch(/AppError|^\s+at /m);
  const shared = await lab.worker("start", "beside", ...START, "--dir", "sub", "--shared");
  expect(shared.code).toBe(0);
  expect((await lab.worker("stop-all", "--now")).code).toBe(0);
});

const ROUNDS = Number(process.env["NIGHTSHIFT_RACE_ROUNDS"] ?? (process.env["CI"] ? 20 : 10));
test(`lets exactly one of two racing starts win, ${ROUNDS} times out of ${ROUNDS}`, async () => {
  // The winner holds on until both have been answered.
  lab.play(HANG);
  for (let round = 0; round < ROUNDS; round++) {
    const names = [`a${round}`, `b${round}`];
    const answers = await Promise.all(names.map((name) => lab.worker("start", name, ...START)));
    expect(answers.map(({ code }) => code).toSorted((x, y) => x - y)).toEqual([0, 75]);
    await lab.worker("stop-all", "--now");
  }
});
