import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { listByGlobs } from "../../gates/list-files.ts";
import { watchAndRun } from "./watch.ts";

let root = "";
let stop = new AbortController();
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-watch-")));
  mkdirSync(join(root, "src"));
  stop = new AbortController();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, text: string) => writeFileSync(join(root, path), text);

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
      root,
      listFiles: async () => {
        tell("look");
        return listByGlobs(["src/**"], root);
      },
      run: async () => tell("run"),
    },
  );
  return { counts, first, next, ended };
};

test("sees a file that was replaced twice, written, made and removed, and one in a new folder", async () => {
  put("src/a", "0");
  const { first, next, ended } = start();
  await first;
  const changes: (() => void)[] = [
    () => (put("src/.a.swp", "1"), renameSync(join(root, "src/.a.swp"), join(root, "src/a"))),
    () => (put("src/.a.swp", "2"), renameSync(join(root, "src/.a.swp"), join(root, "src/a"))),
    () => put("src/a", "3"),
    () => put("src/b", "1"),
    () => rmSync(join(root, "src/b")),
    () => (mkdirSync(join(root, "src/deep/er"), { recursive: true }), put("src/deep/er/c", "1")),
    () => put("src/deep/er/c", "2"),
  ];
  for (const change of changes) {
    const again = next("run");
    change();
    await again;
  }
  stop.abort();
  await ended;
});

test("a file that is written anew with the same content, and one that is not listed, start no run", async () => {
  put("src/a", "1");
  const { first, next, counts, ended } = start();
  await first;
  for (const change of [() => put("src/a", "1"), () => put("elsewhere", "1")]) {
    const looked = next("look");
    change();
    await looked;
  }
  expect(counts.run).toBe(1);
  stop.abort();
  await ended;
});
