import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openBlobFiles } from "./blob-files.ts";

let parent = "";
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "nightshift-blob-files-"));
  return () => rmSync(parent, { recursive: true, force: true });
});

const source = (content: string) => {
  const counted = { reads: 0 };
  const read = async function* () {
    counted.reads += 1;
    yield Buffer.from(content.slice(0, 2));
    yield Buffer.from(content.slice(2));
  };
  return { counted, read };
};

test("reads a blob once, however many ask for it at the same time and later", async () => {
  const files = await openBlobFiles(parent, { now: () => 0 });
  const { counted, read } = source("hello");
  const paths = await Promise.all([1, 2, 3].map(() => files.get("a", 5, read)));
  paths.push(await files.get("a", 5, read));
  expect(new Set(paths).size).toBe(1);
  expect([readFileSync(paths[0] ?? "", "utf8"), counted.reads]).toEqual(["hello", 1]);
  await files.close();
  expect(readdirSync(parent)).toEqual([]);
});

test("keeps nothing of a blob that could not be read, and reads it again", async () => {
  const files = await openBlobFiles(parent, { now: () => 0 });
  const broken = async function* () {
    yield Buffer.from("he");
    throw new Error("gone");
  };
  await expect(files.get("a", 5, broken)).rejects.toThrow("gone");
  expect(readFileSync(await files.get("a", 5, source("hello").read), "utf8")).toBe("hello");
});

test("makes room by what was not used for longest, never by what was asked for just now", async () => {
  const clock = { at: 0 };
  const files = await openBlobFiles(parent, { now: () => clock.at, maxBytes: 10 });
  const [a, b] = [
    await files.get("a", 5, source("aaaaa").read),
    await files.get("b", 5, source("bbbbb").read),
  ];
  clock.at = 60_000;
  await files.get("a", 5, source("aaaaa").read);
  const c = await files.get("c", 5, source("ccccc").read);
  const d = await files.get("d", 5, source("ddddd").read);
  expect([a, b, c, d].map((path) => existsSync(path))).toEqual([true, false, true, true]);
});

test("removes the folder of a process that is gone, and leaves that of a live one alone", async () => {
  mkdirSync(join(parent, "999999999.1.dead"), { recursive: true });
  const first = await openBlobFiles(parent, { now: () => 0 });
  const path = await first.get("a", 5, source("hello").read);
  await openBlobFiles(parent, { now: () => 0 });
  expect(existsSync(path)).toBe(true);
  expect(readdirSync(parent).filter((name) => name.endsWith("dead"))).toEqual([]);
});
