import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listSources, openConversation } from "./find.ts";
import { type ClaudeHome, claudeHome, line } from "./fixtures/claude-home.ts";
import { searchMessages } from "./list.ts";
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

test("finds what was appended, made, rewritten and deleted a moment ago", async () => {
  expect(await found("lazy")).toEqual(["claude:two"]);
  appendFileSync(made.fileOf("one"), line("a2", "so lazy today", "a1"));
  expect(await found("lazy")).toEqual(["claude:one", "claude:two"]);
  made.write("three", line("c1", "a lazy third"));
  expect(await found("lazy")).toEqual(["claude:one", "claude:three", "claude:two"]);
  made.write("two", line("b1", "an industrious dog, wholly rewritten"));
  expect(await found("lazy")).toEqual(["claude:one", "claude:three"]);
  expect(await found("industrious")).toEqual(["claude:two"]);
  rmSync(made.fileOf("three"));
  expect(await found("lazy")).toEqual(["claude:one"]);
});

test("finds a line once it is whole, and only then counts it as read", async () => {
  const text = line("a2", "written in two goes", "a1");
  appendFileSync(made.fileOf("one"), text.slice(0, 40));
  expect(await found("two goes")).toEqual([]);
  appendFileSync(made.fileOf("one"), text.slice(40));
  expect(await found("two goes")).toEqual(["claude:one"]);
  appendFileSync(made.fileOf("one"), line("a3", "and goes on", "a2").trimEnd());
  expect(await found("goes on")).toEqual(["claude:one"]);
  appendFileSync(made.fileOf("one"), `\n${line("a4", "and on", "a3")}`);
  const { results } = await search("goes");
  expect(results[0]?.hits.map(({ message }) => message)).toEqual(["claude:one/a3", "claude:one/a2"]);
});

test("says of a message that it left the context after it was indexed", async () => {
  const state = async () => (await search("fox")).results[0]?.hits[0]?.context;
  expect(await state()).toBe("in");
  const boundary = {
    type: "system",
    subtype: "compact_boundary",
    uuid: "x",
    parentUuid: null,
    timestamp: "2026-02-01T11:00:00.000Z",
  };
  appendFileSync(made.fileOf("one"), `${JSON.stringify(boundary)}\n${line("a2", "summary", "x")}`);
  expect(await state()).toBe("compacted");
});

test(
  "a regular expression that backtracks without end is refused, in a search and in one conversation",
  { tags: ["long"] },
  async () => {
    made.write("three", line("c1", `${"a".repeat(60)}!`));
    const evil = "/^(a+)+$/";
    const refusal = { code: "usage", message: expect.stringContaining("backtracks without end") };
    await expect(search(evil)).rejects.toMatchObject(refusal);
    const { conversation } = await openConversation("claude:three", made.ports);
    const ask = { term: evil, all: false, charsPerToken: 4 };
    expect(() => searchMessages(conversation, ask)).toThrow(expect.objectContaining(refusal));
    expect(await found("/^so[mn]e|laz./")).toEqual(["claude:two"]);
  },
);

test("names a database it cannot read and searches the rest", async () => {
  const folder = join(made.home, ".local", "share", "opencode");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "opencode.db"), "this is no database, however long one looks at it ".repeat(40));
  for (const _ of [1, 2]) {
    const answer = await search("lazy");
    expect(answer.results.map(({ conversation }) => conversation)).toEqual(["claude:two"]);
    expect(answer.problems).toEqual([expect.stringContaining("opencode.db")]);
  }
  expect(await listSources(made.ports)).toHaveLength(2);
});
