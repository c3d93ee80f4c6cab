import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tryLock } from "../core/file-lock.ts";
import { bunBinary } from "../test/bun.ts";
import { type ClaudeHome, claudeHome, line } from "./fixtures/claude-home.ts";
import { indexFolder } from "./search-index/manifest.ts";
import { searchConversations } from "./search.ts";

let made: ClaudeHome;
beforeEach(() => {
  made = claudeHome();
});
afterEach(() => made.remove());

const search = (pattern: string) =>
  searchConversations({ pattern, limit: Number.MAX_SAFE_INTEGER }, made.ports);
const found = async (pattern: string) =>
  (await search(pattern)).results.map(({ conversation }) => conversation).sort();

/** A search in a process of its own on Bun: says "started" first, and then what it found. */
const searchOnBun = (pattern: string) =>
  spawn(bunBinary(), [join(import.meta.dirname, "fixtures/search-once.ts"), pattern], {
    env: { ...made.ports.env, PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
const answerOf = async (child: ReturnType<typeof searchOnBun>): Promise<string[]> => {
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  await once(child, "close");
  return out.split("\n").filter((text) => text.startsWith("found"));
};

test("does not rewrite the index when nothing has changed, whichever runtime asks", async () => {
  for (let n = 0; n < 30; n += 1) made.write(`more${n * 7919}`, line(`m${n}`, "more of it"));
  await found("more");
  const manifest = join(indexFolder(made.ports), "manifest.json");
  const before = statSync(manifest);
  await found("of it");
  expect(await answerOf(searchOnBun("lazy"))).toEqual(["found claude:two"]);
  await found("lazy");
  expect(statSync(manifest)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test.each([
  ["cut short", (path: string) => truncateSync(path, Math.trunc(statSync(path).size / 2))],
  ["emptied", (path: string) => truncateSync(path, 0)],
  ["gone", (path: string) => rmSync(path)],
  ["overwritten", (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5))],
])("rebuilds the index when a segment is %s", async (_, damage) => {
  expect(await found("lazy")).toEqual(["claude:two"]);
  const folder = indexFolder(made.ports);
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".seg"))) damage(join(folder, name));
  expect(await found("lazy")).toEqual(["claude:two"]);
  const { results, scanned } = await search("quick");
  expect(results.map(({ conversation }) => conversation)).toEqual(["claude:one"]);
  expect(scanned).toBe(0);
});

test("rebuilds the index when its manifest is no JSON", async () => {
  expect(await found("lazy")).toEqual(["claude:two"]);
  writeFileSync(join(indexFolder(made.ports), "manifest.json"), "{");
  expect(await found("lazy")).toEqual(["claude:two"]);
  expect((await search("lazy")).scanned).toBe(0);
});

test("reads directly what another process is indexing", async () => {
  expect(await found("lazy")).toEqual(["claude:two"]);
  const { lock } = tryLock(join(indexFolder(made.ports), "index.lock"), { label: "another" });
  appendFileSync(made.fileOf("one"), line("a2", "so lazy today", "a1"));
  made.write("two", line("b1", "rewritten"));
  const answer = await search("lazy");
  expect(answer.results.map(({ conversation }) => conversation)).toEqual(["claude:one"]);
  expect(answer.scanned).toBe(2);
  lock?.release();
});

test("keeps few segments and drops what was rewritten, however often conversations change", async () => {
  for (let round = 0; round < 80; round += 1) {
    made.write("two", line("b1", `version ${round} of it, different in length ${"x".repeat(round)}`));
    expect(await found(`version ${round} of`)).toEqual(["claude:two"]);
  }
  expect(await found("version 3 of")).toEqual([]);
  const segments = readdirSync(indexFolder(made.ports)).filter((name) => name.endsWith(".seg"));
  expect(segments.length).toBeLessThanOrEqual(10);
});

test("survives indexers that are killed, and two at once", async () => {
  for (let n = 0; n < 120; n += 1)
    made.write(
      `many${n}`,
      Array.from({ length: 40 }, (_, i) =>
        line(`${n}-${i}`, `text ${n} ${i} marker${n}m ${"word ".repeat(200)}`),
      ).join(""),
    );
  for (const turns of [1, 2, 3]) {
    const child = searchOnBun("marker7m");
    await once(child.stdout, "data");
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await once(child, "close");
  }
  const answers = await Promise.all([searchOnBun("marker7m"), searchOnBun("marker7m")].map(answerOf));
  expect(answers).toEqual([["found claude:many7"], ["found claude:many7"]]);
  expect(await found("marker119m")).toEqual(["claude:many119"]);
});
