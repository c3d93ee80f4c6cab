// @module-tag long

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canMount, mountSmallDisk } from "../small-disk.ts";
import { playNight } from "./fast-night.ts";
import { Night } from "./night.ts";

/** docs/performance.md has 50. */
const WORKERS = Number(process.env["NIGHTSHIFT_NIGHT_WORKERS"] ?? 3);
const SEED = Number(process.env["NIGHTSHIFT_SEED"] ?? Date.now() % 1_000_000);
const HOURS = 12;
/** From the third hour to the last: what a worker keeps of its sessions, and what the runtime does once. */
const HEAP_KIB_A_WORKER = 256;
const HEAP_KIB_ONCE = 1_024;
/** Log and events are rotated at 10 MiB, four of each at most. */
const FILES_KIB_AN_HOUR = 1_024;

let night: Night;
let unmount: (() => void) | undefined;
beforeEach(() => {
  night = new Night();
});
afterEach(async () => {
  unmount?.();
  await night.dispose();
});

const fill = (path: string): void => {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(4_096), { flag: "a" });
  } catch {
    // full
  }
};

test(`${WORKERS} workers for ${HOURS} hours of a clock of their own (seed ${SEED}), among limits, outages, a set clock, sleep and${canMount ? "" : " no"} full disk: memory and files stay bounded`, async () => {
  if (canMount) unmount = mountSmallDisk(night.home, `${WORKERS * 16}m`);
  const filler = join(night.home, "filler");
  const moments = await playNight(night, {
    workers: WORKERS,
    hours: HOURS,
    seed: SEED,
    onHour: (hour) => {
      rmSync(filler, { force: true });
      // Full for an hour.
      if (canMount && hour % 5 === 0) fill(filler);
    },
  });
  expect(moments).toHaveLength(HOURS);
  const [early, late] = [moments[2], moments.at(-1)];
  if (!early || !late) throw new Error("the night was too short");
  console.table(moments);
  expect(late.sessions).toBeGreaterThan(WORKERS * HOURS);
  expect(late.heapKiB - early.heapKiB).toBeLessThan(HEAP_KIB_ONCE + WORKERS * HEAP_KIB_A_WORKER);
  expect(late.mostFilesKiB / HOURS).toBeLessThan(FILES_KIB_AN_HOUR);
}, 3_000_000);
