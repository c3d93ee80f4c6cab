import { expect, test } from "vitest";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { useScratch } from "../test/scratch.ts";
import { hashInputs, readCachedAnswer, writeCachedAnswer } from "./gate-cache.ts";
import type { CheckAnswer, Gate } from "./gate.ts";

const project = useScratch();
const user = useScratch();
const shelf = (root = project.root) => ({ env: { NIGHTSHIFT_HOME: user.root }, root });
const keep = (id: string, hash: string, answer = PASS) => writeCachedAnswer(shelf(), { id, hash, answer });
const gateWith = (cacheKey: string | undefined) => ({ id: "mine", cacheKey }) as Gate;
const hash = (files: readonly string[], cacheKey: string | undefined = "key") =>
  hashInputs(gateWith(cacheKey), files, project.root);
const PASS = { result: "pass", findings: [] } as unknown as CheckAnswer;

test("the hash tells definition, names and contents apart, and nothing else", () => {
  project.put("a", "1");
  project.put("b", "2");
  const before = hash(["a", "b"]);
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  project.put("a", "1");
  expect(hash(["a", "b"])).toBe(before);
  project.put("ab", "1");
  project.put("c", "2");
  const others = [
    hash(["a", "b"], "another"),
    hash(["a"]),
    hash(["b", "a"]),
    hash(["a", "c"]),
    hash(["ab", "b"]),
  ];
  project.put("b", "3");
  others.push(hash(["a", "b"]));
  expect(new Set([before, ...others]).size).toBe(7);
});

test("there is no hash for a gate that is not cached, that looks at no file, or at one that cannot be read", () => {
  project.put("a", "1");
  mkdirSync(join(project.root, "folder"));
  expect(hashInputs(gateWith(undefined), ["a"], project.root)).toBeUndefined();
  expect([hash([]), hash(["a", "folder"]), hash(["a", "gone"])]).toEqual([undefined, undefined, undefined]);
});

test("an answer is given again for exactly the hash that it was kept for", () => {
  keep("mine", "h1");
  expect(readCachedAnswer(shelf(), "mine", "h1")).toEqual(PASS);
  expect(readCachedAnswer(shelf(), "mine", "h2")).toBeUndefined();
  expect(readCachedAnswer(shelf(), "other", "h1")).toBeUndefined();
  keep("mine", "h2");
  expect(readCachedAnswer(shelf(), "mine", "h1")).toBeUndefined();
});

test("what no check said is not kept, and half of a file is no answer", () => {
  const path = `cache/gates/${project.root}/mine.json`;
  keep("mine", "h1", { ...PASS, result: "none" });
  expect(user.has(path)).toBe(false);
  keep("mine", "h1");
  user.put(path, user.read(path).slice(0, -5));
  expect(readCachedAnswer(shelf(), "mine", "h1")).toBeUndefined();
});

test("answers lie with the user, by the real path: none is written into a project or read from one", () => {
  const link = join(user.root, "link");
  symlinkSync(project.root, link);
  project.put(".nightshift/gates/mine.json", JSON.stringify({ hash: "h1", answer: PASS }));
  expect(readCachedAnswer(shelf(), "mine", "h1")).toBeUndefined();
  keep("mine", "h2");
  expect(readCachedAnswer(shelf(link), "mine", "h2")).toEqual(PASS);
  expect(readdirSync(join(project.root, ".nightshift/gates"))).toEqual(["mine.json"]);
  mkdirSync(join(project.root, "other"));
  expect(readCachedAnswer(shelf(join(project.root, "other")), "mine", "h2")).toBeUndefined();
});
