import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { listByGlobs } from "../core/list-files.ts";
import { useScratch } from "../test/scratch.ts";
import { watchAndRun } from "./watch.ts";

const project = useScratch();
let stop = new AbortController();
beforeEach(() => {
  mkdirSync(join(project.root, "src"));
  stop = new AbortController();
});

/** Watches src/, counts the runs and the looks, and lets a test wait for the next of either. */
const start = () => {
  const waiting: { run: (() => void)[]; look: (() => void)[] } = { run: [], look: [] };
  const counts = { run: 0, look: 0 };
  const tell = (what: "run" | "look") => {
    counts[what] += 1;
    for (const resolve of waiting[what].splice(0)) resolve();
  };
  const next = (what: "run" | "look") =>
    new Promise<void>((resolve) => {
      waiting[what].push(resolve);
    });
  const first = next("run");
  const ended = watchAndRun(
    { clock: systemClock, signal: stop.signal },
    {
      root: project.root,
      listFiles: async () => {
        tell("look");
        return listByGlobs(["src/**"], project.root);
      },
      run: async () => tell("run"),
    },
  );
  return { counts, first, next, ended };
};

test("sees a file that was replaced twice, written, made and removed, and one in a new folder", async () => {
  project.put("src/a", "0");
  const { first, next, ended } = start();
  await first;
  const changes: (() => void)[] = [
    () => (
      project.put("src/.a.swp", "1"),
      renameSync(join(project.root, "src/.a.swp"), join(project.root, "src/a"))
    ),
    () => (
      project.put("src/.a.swp", "2"),
      renameSync(join(project.root, "src/.a.swp"), join(project.root, "src/a"))
    ),
    () => project.put("src/a", "3"),
    () => project.put("src/b", "1"),
    () => rmSync(join(project.root, "src/b")),
    () => (
      mkdirSync(join(project.root, "src/deep/er"), { recursive: true }),
      project.put("src/deep/er/c", "1")
    ),
    () => project.put("src/deep/er/c", "2"),
  ];
  for (const change of changes) {
    const again = next("run");
    change();
    await again;
  }
  stop.abort();
  await ended;
});

test("a file that is rewritten with the same content, and one that is not listed, start no run", async () => {
  project.put("src/a", "1");
  const { first, next, counts, ended } = start();
  await first;
  for (const change of [() => project.put("src/a", "1"), () => project.put("elsewhere", "1")]) {
    const looked = next("look");
    change();
    await looked;
  }
  expect(counts.run).toBe(1);
  stop.abort();
  await ended;
});
