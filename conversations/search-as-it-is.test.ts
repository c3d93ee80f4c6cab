import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bunBinary } from "../test/bun.ts";
import { type ClaudeHome, claudeHome, line } from "./fixtures/claude-home.ts";
import { searchConversations } from "./search.ts";
import { indexFolder, searchAsItIs } from "./search-as-it-is.ts";

// The short way to an answer, taken while nothing has changed: it must see every change there is.

let made: ClaudeHome;

/** Folders changed a moment ago may change again without their date: as if some time had passed. */
const age = (): void => {
  const past = new Date(Date.now() - 60_000);
  for (const entry of readdirSync(made.home, { withFileTypes: true, recursive: true }))
    if (entry.isDirectory() && !entry.parentPath.includes("/.nightshift"))
      utimesSync(join(entry.parentPath, entry.name), past, past);
};

const names = (results: readonly { conversation: string }[]) =>
  results.map(({ conversation }) => conversation).sort();
const search = async (pattern: string) =>
  names((await searchConversations({ pattern, limit: 10 }, made.ports)).results);

type AsItIs = (pattern: string) => Promise<string[] | "changed">;

/** On the runtime of the tests, and on Bun, which compares by other means. */
const onNode = (): { ask: AsItIs; end: () => Promise<void> } => ({
  ask: async (pattern) => {
    const answer = await searchAsItIs({ pattern, limit: 10 }, made.ports);
    return answer ? names(answer.results) : "changed";
  },
  end: async () => {},
});
const onBun = (): { ask: AsItIs; end: () => Promise<void> } => {
  const script = join(import.meta.dirname, "fixtures/search-as-it-is.ts");
  const child = spawn(bunBinary(), [script], {
    env: { ...made.ports.env, HOME: made.home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    ask: async (pattern) => {
      child.stdin.write(`${pattern}\n`);
      return JSON.parse(String((await lines.next()).value)) as string[] | "changed";
    },
    end: async () => {
      child.stdin.end();
      await once(child, "close");
    },
  };
};

const CHANGES: [string, () => void][] = [
  ["an append", () => appendFileSync(made.fileOf("one"), line("a2", "lazy, too"))],
  [
    "a rewrite of the same length",
    () => {
      writeFileSync(made.fileOf("two"), readFileSync(made.fileOf("two"), "utf8").replace("lazy", "busy"));
      utimesSync(made.fileOf("two"), new Date(), new Date(Date.now() + 5_000));
    },
  ],
  ["a cut", () => truncateSync(made.fileOf("two"), 40)],
  ["a new conversation", () => made.write("three", line("c1", "a lazy third"))],
  ["a new project", () => made.write("three", line("c1", "a lazy third"), "q")],
  [
    "the first sub-agent of a conversation",
    () => made.write("agent-x", line("c1", "lazy"), "p/one/subagents"),
  ],
  ["a deletion", () => rmSync(made.fileOf("one"))],
  ["a new name", () => renameSync(made.fileOf("one"), made.fileOf("eins"))],
  [
    "an agent that was not there before",
    () => mkdirSync(join(made.home, ".codex/sessions"), { recursive: true }),
  ],
];

describe.each([
  ["Node", onNode],
  ["Bun", onBun],
])("on %s", (_, start) => {
  let runtime: ReturnType<typeof onNode>;
  const ask: AsItIs = (pattern) => runtime.ask(pattern);
  beforeEach(async () => {
    made = claudeHome();
    mkdirSync(join(made.home, ".config"), { recursive: true });
    age();
    expect(await search("lazy")).toEqual(["claude:two"]);
    runtime = start();
  });
  afterEach(async () => {
    await runtime.end();
    made.remove();
  });

  test("answers from the index while nothing has changed", async () => {
    expect(await ask("lazy")).toEqual(["claude:two"]);
    expect(await ask("the")).toEqual(["claude:one", "claude:two"]);
    expect(await ask("nobody said this")).toEqual([]);
    const before = statSync(join(indexFolder(made.ports), "footprint.bin"));
    expect(await search("fox")).toEqual(["claude:one"]);
    expect(statSync(join(indexFolder(made.ports), "footprint.bin")).ino).toBe(before.ino);
  });

  test("goes on doing so for as long as a process lasts", async () => {
    const answers = await Promise.all(Array.from({ length: 1500 }, () => ask("lazy")));
    expect([...new Set(answers.map(String))]).toEqual(["claude:two"]);
  });

  test.each(CHANGES)("sees %s", async (_, change) => {
    change();
    expect(await ask("lazy")).toBe("changed");
    const found = await search("lazy");
    age();
    expect(await search("lazy")).toEqual(found);
    expect(await ask("lazy")).toEqual(found);
  });

  test("sees a database that was not there before, and counts on nothing while it cannot be read", async () => {
    mkdirSync(join(made.home, ".config/shelley"), { recursive: true });
    writeFileSync(join(made.home, ".config/shelley/shelley.db"), "no database");
    age();
    for (const _ of [1, 2]) {
      expect(await ask("lazy")).toBe("changed");
      const { problems } = await searchConversations({ pattern: "lazy", limit: 1 }, made.ports);
      expect(problems).toEqual([expect.stringContaining("shelley.db")]);
    }
  });

  test.each([
    ["cut short", (path: string) => truncateSync(path, Math.trunc(statSync(path).size / 2))],
    ["emptied", (path: string) => truncateSync(path, 0)],
    ["overwritten", (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5))],
    ["gone", (path: string) => rmSync(path)],
  ])("does without a footprint that is %s, and makes a new one", async (_, damage) => {
    damage(join(indexFolder(made.ports), "footprint.bin"));
    expect(await ask("lazy")).toBe("changed");
    expect(await search("lazy")).toEqual(["claude:two"]);
    expect(await ask("lazy")).toEqual(["claude:two"]);
  });

  test("sees a new date of any of eight conversations of a project", async () => {
    const ids = Array.from({ length: 8 }, (_, number) => `of-eight-${number}`);
    const before = new Date(1.77e12);
    for (const id of ids) {
      made.write(id, line(id, "one of eight"));
      utimesSync(made.fileOf(id), before, before);
    }
    age();
    expect(await search("eight")).toHaveLength(8);
    for (const id of ids) {
      utimesSync(made.fileOf(id), before, new Date(1.78e12));
      expect(await ask("eight")).toBe("changed");
      utimesSync(made.fileOf(id), before, before);
      expect(await ask("eight")).toHaveLength(8);
    }
  });

  test("opens no segment for words that no conversation holds", async () => {
    for (const name of readdirSync(indexFolder(made.ports)).filter((each) => each.endsWith(".seg")))
      rmSync(join(indexFolder(made.ports), name));
    expect(await ask("zzzqqq")).toEqual([]);
    expect(await ask("fox")).toBe("changed");
  });

  test("leaves it to the long way when a segment is gone", async () => {
    for (const name of readdirSync(indexFolder(made.ports)).filter((each) => each.endsWith(".seg")))
      rmSync(join(indexFolder(made.ports), name));
    expect(await ask("lazy")).toBe("changed");
    expect(await search("lazy")).toEqual(["claude:two"]);
    expect(await ask("lazy")).toEqual(["claude:two"]);
  });
});

test("counts on no folder that changed within the last seconds", async () => {
  made = claudeHome();
  expect(await search("fox")).toEqual(["claude:one"]);
  expect(await onNode().ask("fox")).toBe("changed");
  made.remove();
});

test("looks again when a variable that names a folder says something else", async () => {
  made = claudeHome();
  age();
  expect(await search("fox")).toEqual(["claude:one"]);
  const elsewhere = {
    ...made.ports,
    env: { ...made.ports.env, CLAUDE_CONFIG_DIR: join(made.home, "other") },
  };
  expect(await searchAsItIs({ pattern: "fox", limit: 1 }, elsewhere)).toBeUndefined();
  expect((await searchConversations({ pattern: "fox", limit: 1 }, elsewhere)).results).toEqual([]);
  made.remove();
});
