import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canMount, mountSmallDisk } from "../small-disk.ts";
import { say, START, WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

const DONE = { parts: [{ steps: [say("DONE: nothing to do")] }] };
const AWAY = { memory: { url: "http://127.0.0.1:9" } };

test.skipIf(!canMount)(
  "a start, its dry run and a resume say that the disk is nearly full, that the memory is away and that no gate checks the work",
  { tags: ["long"] },
  async () => {
    const dir = join(lab.folder, "disk");
    const unmount = mountSmallDisk(dir, "64m");
    try {
      lab.makeRepository(dir);
      lab.play(DONE, AWAY, dir);
      const words = [
        /^warning, gates: no gate checks work in .*disk, so a DONE ends as unverified/m,
        /^warning, memory: http:\/\/127\.0\.0\.1:9 does not answer/m,
        /^warning, disk: only \d+ MiB are free where .*disk lies; make room$/m,
      ];
      const dry = await lab.run("worker", ["start", "w", ...START, "--dry-run", "--json"], { cwd: dir });
      expect(dry.code).toBe(0);
      expect(existsSync(lab.workers)).toBe(false);
      const { checks } = JSON.parse(dry.out) as { checks: { area: string; isFatal: boolean }[] };
      // Where this machine has no sandbox, a warning says so, too.
      const areas = new Set(checks.map(({ area }) => area).filter((area) => area !== "sandbox"));
      expect(areas).toEqual(new Set(["gates", "memory", "disk"]));
      expect(checks.some(({ isFatal }) => isFatal)).toBe(false);
      const started = await lab.run("worker", ["start", "w", ...START], { cwd: dir });
      expect(started.code).toBe(0);
      await lab.ended("w");
      const resumed = await lab.run("worker", ["resume", "w"], { cwd: dir });
      expect(resumed.code).toBe(0);
      await lab.ended("w");
      if (areas.size < checks.length)
        expect(dry.err).toMatch(/^warning, sandbox: (none|127\.0\.0\.1:9 cannot be reached)/m);
      for (const { err } of [dry, started, resumed]) for (const word of words) expect(err).toMatch(word);
    } finally {
      await lab.worker("stop-all", "--now");
      unmount();
    }
  },
);

test("what is sure to fail is refused by start and resume before anything is begun, and named by the dry run", async () => {
  lab.play(DONE);
  await lab.start("w");
  await lab.ended("w");
  lab.play(DONE, { gates: { broken: {} } });
  const refused = /gates: gates\.broken checks nothing/;
  for (const words of [
    ["start", "other", ...START],
    ["resume", "w"],
  ]) {
    const run = await lab.worker(...words);
    expect(run.err).toMatch(refused);
    expect(run.code).toBe(78);
  }
  expect(lab.state("w")?.sessions).toHaveLength(1);
  expect(lab.state("other")).toBeUndefined();
  const dry = await lab.worker("start", "other", ...START, "--dry-run");
  expect(dry).toMatchObject({ code: 0, err: expect.stringMatching(/sure to fail, gates: gates\.broken/) });
});

test("a dry run says of the gates that they are still to run, not that there are none", async () => {
  lab.play(DONE);
  const dry = await lab.worker("start", "w", ...START, "--dry-run");
  expect(dry.out).toContain("is run before the session; its verdict and report go here");
  expect(dry.out).not.toMatch(/No gate ran|The gates (?:are|report)/);
});

test("a memory whose key is missing is named in the log in words, by start and by the session", async () => {
  const server = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  lab.env["MEMORY_API_KEY_FILE"] = join(lab.folder, "no-key");
  lab.play(DONE, { memory: { url: `http://127.0.0.1:${port}` } });
  const started = await lab.worker("start", "w", ...START);
  await lab.ended("w");
  server.close();
  const words = /the memory's key file .*no-key is not there; the server makes it at its first start/;
  expect(started.err).toMatch(words);
  const log = readFileSync(join(lab.workers, "w.log"), "utf8");
  expect(log).toMatch(words);
  expect(started.err + log).not.toContain("ENOENT");
});
