import { expect, test } from "vitest";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { useScratch } from "../test/scratch.ts";
import { hashInputs, readCachedAnswer, writeCachedAnswer } from "./gate-cache.ts";
import type { CheckAnswer, Gate } from "./gate.ts";

const project = useScratch();
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
  writeCachedAnswer(project.root, "mine", "h1", PASS);
  expect(readCachedAnswer(project.root, "mine", "h1")).toEqual(PASS);
  expect(readCachedAnswer(project.root, "mine", "h2")).toBeUndefined();
  expect(readCachedAnswer(project.root, "other", "h1")).toBeUndefined();
  writeCachedAnswer(project.root, "mine", "h2", PASS);
  expect(readCachedAnswer(project.root, "mine", "h1")).toBeUndefined();
});

test("what no check said is not kept, and half of a file is no answer", () => {
  writeCachedAnswer(project.root, "mine", "h1", { ...PASS, result: "none" });
  expect(project.has(".nightshift/gates/mine.json")).toBe(false);
  writeCachedAnswer(project.root, "mine", "h1", PASS);
  const path = ".nightshift/gates/mine.json";
  project.put(path, project.read(path).slice(0, -5));
  expect(readCachedAnswer(project.root, "mine", "h1")).toBeUndefined();
});
