import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ClaudeHome, claudeHome, line } from "./fixtures/claude-home.ts";
import { indexFolder } from "./search-index/manifest.ts";
import { searchConversations } from "./search.ts";

// The index says what was on disk when it was written: a search must see every change since.

let made: ClaudeHome;
beforeEach(() => {
  made = claudeHome();
});
afterEach(() => made.remove());

const found = async (pattern: string, ports = made.ports): Promise<string[]> =>
  (await searchConversations({ pattern, limit: 10 }, ports)).results
    .map(({ conversation }) => conversation)
    .sort();

const rewritten = (): string => readFileSync(made.fileOf("two"), "utf8").replace("lazy", "busy");

/** Size and date are those of before. */
const keepDate = (change: () => void): void => {
  const { atime, mtime } = statSync(made.fileOf("two"));
  change();
  utimesSync(made.fileOf("two"), atime, mtime);
};

test.each<[string, () => void, string[]]>([
  [
    "an append",
    () => appendFileSync(made.fileOf("one"), line("a2", "lazy, too")),
    ["claude:one", "claude:two"],
  ],
  ["a rewrite of the same size", () => writeFileSync(made.fileOf("two"), rewritten()), []],
  [
    "a rewrite of the same size and date",
    () => keepDate(() => writeFileSync(made.fileOf("two"), rewritten())),
    [],
  ],
  [
    "another file of the same size and date in its place",
    () =>
      keepDate(() => {
        writeFileSync(`${made.fileOf("two")}.new`, rewritten());
        renameSync(`${made.fileOf("two")}.new`, made.fileOf("two"));
      }),
    [],
  ],
  ["a cut", () => truncateSync(made.fileOf("two"), 40), []],
  [
    "a new conversation",
    () => made.write("three", line("c1", "a lazy third")),
    ["claude:three", "claude:two"],
  ],
  [
    "a new project",
    () => made.write("three", line("c1", "a lazy third"), "q"),
    ["claude:three", "claude:two"],
  ],
  ["a deletion", () => rmSync(made.fileOf("two")), []],
  ["a new name", () => renameSync(made.fileOf("two"), made.fileOf("zwei")), ["claude:zwei"]],
])("sees %s", async (_, change, expected) => {
  expect(await found("lazy")).toEqual(["claude:two"]);
  change();
  expect(await found("lazy")).toEqual(expected);
});

test("sees the first sub-agent of a conversation", async () => {
  expect(await found("lazy")).toEqual(["claude:two"]);
  made.write("agent-x", line("c1", "lazy"), "p/one/subagents");
  const answer = await searchConversations({ pattern: "lazy", limit: 9, includeSubAgents: true }, made.ports);
  expect(answer.results).toHaveLength(2);
});

test("sees a database that was not there before, and tries again while it cannot be read", async () => {
  expect(await found("lazy")).toEqual(["claude:two"]);
  mkdirSync(join(made.home, ".config/shelley"), { recursive: true });
  writeFileSync(join(made.home, ".config/shelley/shelley.db"), "no database");
  for (const _ of [1, 2]) {
    const { problems } = await searchConversations({ pattern: "lazy", limit: 1 }, made.ports);
    expect(problems).toEqual([expect.stringContaining("shelley.db")]);
  }
});

test("looks elsewhere when a variable that names a folder says something else", async () => {
  expect(await found("fox")).toEqual(["claude:one"]);
  const env = { ...made.ports.env, CLAUDE_CONFIG_DIR: join(made.home, "other") };
  expect(await found("fox", { ...made.ports, env })).toEqual([]);
  expect(await found("fox")).toEqual(["claude:one"]);
});

test("a full or read-only place of the index costs only what the index lacks", async () => {
  expect(await found("lazy")).toEqual(["claude:two"]);
  appendFileSync(made.fileOf("one"), line("a2", "so lazy today", "a1"));
  // A folder in place of the manifest: like a full disk, it lets nobody replace it.
  const manifest = join(indexFolder(made.ports), "manifest.json");
  rmSync(manifest);
  mkdirSync(join(manifest, "in the way"), { recursive: true });
  const answer = await searchConversations({ pattern: "lazy", limit: 5 }, made.ports);
  expect(answer.results).toHaveLength(2);
  expect(answer.noIndex).toContain("cannot write");
});
