import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useScratch } from "../test/scratch.ts";
import {
  appendLines,
  sweepTemporaries,
  temporaryBeside,
  writeFailure,
  writeFileDurably,
} from "./durable-file.ts";

const folder = useScratch();
const at = (path: string) => join(folder.root, path);
const modeOf = (path: string) => statSync(at(path)).mode & 0o777;
const failed = (syscall: string, code: string) =>
  Object.assign(new Error(`${code}: failed`), { code, syscall });

test("replaces a file whole, makes its folders for their owner alone, and leaves nothing beside it", () => {
  writeFileDurably(at("deep/er/state.json"), "first, and longer");
  writeFileDurably(at("deep/er/state.json"), "second");
  expect(folder.read("deep/er/state.json")).toBe("second");
  expect(readdirSync(at("deep/er"))).toEqual(["state.json"]);
  expect([modeOf("deep"), modeOf("deep/er")]).toEqual([0o700, 0o700]);
});

test("a file has the mode that was asked for from its first byte on, also where it replaces a wider one", () => {
  folder.put("key", "wide open");
  writeFileDurably(at("key"), "secret", { mode: 0o600 });
  expect([modeOf("key"), folder.read("key")]).toEqual([0o600, "secret"]);
});

test("a write that fails leaves no temporary file, and what was there is untouched", () => {
  folder.put("taken/inside", "old");
  expect(() => writeFileDurably(at("taken"), "new")).toThrow(/cannot write .*taken/);
  expect(readdirSync(folder.root)).toEqual(["taken"]);
  expect(folder.read("taken/inside")).toBe("old");
});

test.each([
  ["ENOSPC", "storage-full", "the disk is full; free some room"],
  ["EDQUOT", "storage-full", "the disk quota is used up"],
  ["EROFS", "unavailable", "read-only; choose another folder"],
  ["EACCES", "unavailable", "permission denied; check the owner"],
] as const)("%s is told as %s, with the file and what to do", (errno, code, says) => {
  const { message, details: _, ...error } = writeFailure("/data/x", failed("write", errno));
  expect(error.code).toBe(code);
  expect(message).toContain("cannot write /data/x");
  expect(message).toContain(says);
});

test("a folder that cannot be made on a read-only file system is told as that, not as missing", () => {
  expect(writeFailure("/data/x", failed("mkdir", "ENOENT")).message).toContain("read-only");
  expect(writeFailure("/data/x", failed("open", "ENOENT")).message).not.toContain("read-only");
});

test("sweeping removes what dead writers left half-way, and nothing else", async () => {
  const writer = spawnSync(process.execPath, ["-e", ""], { stdio: "ignore" });
  const living = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  const left = (pid: number | undefined) => `.state.json.${pid}.0badcafe.tmp`;
  for (const name of [
    left(writer.pid),
    left(living.pid),
    "state.json",
    ".state.json.tmp",
    "x.1.0badcafe.tmp",
  ])
    folder.put(name, "half");
  sweepTemporaries(folder.root);
  expect(readdirSync(folder.root).toSorted()).toEqual(
    ["state.json", ".state.json.tmp", "x.1.0badcafe.tmp", left(living.pid)].toSorted(),
  );
  living.stdin.end();
  await once(living, "close");
  sweepTemporaries(at("nowhere"));
});

test("a temporary file is swept by the name it is given", () => {
  const name = temporaryBeside(at("state.json")).slice(folder.root.length + 1);
  const ofTheDead = name.replace(`.${process.pid}.`, ".999999999.");
  folder.put(name, "half");
  folder.put(ofTheDead, "half");
  sweepTemporaries(folder.root);
  expect(readdirSync(folder.root)).toEqual([name]);
});

test("appends whole lines behind what is there, and makes the file for its owner alone where told", () => {
  appendLines(at("log/events.jsonl"), ["one", "zwei ü"], { mode: 0o600 });
  appendLines(at("log/events.jsonl"), ["three"], { sync: true });
  expect(folder.read("log/events.jsonl")).toBe("one\nzwei ü\nthree\n");
  expect(modeOf("log/events.jsonl")).toBe(0o600);
});

test("lines of several writers never mix", async () => {
  const script = `
    const { appendLines } = await import(process.argv[1]);
    for (let n = 0; n < 200; n++) appendLines(process.argv[2], [process.argv[3].repeat(5000)]);`;
  const built = join(import.meta.dirname, "../dist/core/durable-file.js");
  await Promise.all(
    ["a", "b", "c"].map((letter) =>
      once(spawn(process.execPath, ["--input-type=module", "-e", script, built, at("log"), letter]), "close"),
    ),
  );
  const lines = folder.read("log").trimEnd().split("\n");
  expect(lines).toHaveLength(600);
  expect(lines.filter((line) => !/^(a{5000}|b{5000}|c{5000})$/.test(line))).toEqual([]);
});

test("what cannot be appended to is named", () => {
  mkdirSync(at("log"));
  expect(() => appendLines(at("log"), ["x"])).toThrow(/cannot write .*log/);
});

test.skipIf(!existsSync("/dev/full"))("a full disk under an append is told as such", () => {
  symlinkSync("/dev/full", at("full"));
  expect(() => appendLines(at("full"), ["x"])).toThrow(expect.objectContaining({ code: "storage-full" }));
});

test("a FIFO in the place of a log is an error, not a wait for ever", () => {
  execFileSync("mkfifo", [at("log")]);
  expect(() => appendLines(at("log"), ["line"])).toThrow(/cannot write/);
});
