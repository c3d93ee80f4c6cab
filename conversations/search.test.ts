import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bunBinary } from "../test/bun.ts";
import { openConversation, listSources } from "./find.ts";
import { corpusHome, emptyHome, type TestHome } from "./fixtures/corpus-home.ts";
import { toMatcher } from "./list.ts";
import { searchConversations } from "./search.ts";
import { indexFolder } from "./search-as-it-is.ts";
import { requiredLiteral } from "./search-index/query.ts";

const all = {
  limit: Number.MAX_SAFE_INTEGER,
  hitsPerConversation: Number.MAX_SAFE_INTEGER,
  includeSubAgents: true,
};

const KINDS = new Set(["text", "thinking", "tool-call", "tool-result"]);

/** Every (conversation, text) that holds the pattern, by reading every conversation and looking. */
const scanAll = async (home: TestHome, pattern: string): Promise<Set<string>> => {
  const words =
    pattern.startsWith("/") || pattern.startsWith('"') ? [pattern.replaceAll('"', "")] : pattern.split(" ");
  const finders = words.map(toMatcher);
  const find = (text: string) => finders.every((each) => each(text));
  const found = new Set<string>();
  for (const { agent, id } of await listSources(home.ports)) {
    const { conversation } = await openConversation(`${agent}:${id}`, home.ports);
    for (const message of conversation.messages) {
      if (message.context === "not-sent" && agent !== "pi" && agent !== "claude") continue;
      for (const part of message.parts) {
        const text = part.kind === "tool-call" ? `${part.tool} ${part.text}` : part.text;
        if (KINDS.has(part.kind) && find(text)) found.add(`${agent}:${id}`);
      }
    }
  }
  return found;
};

const search = async (home: TestHome, pattern: string): Promise<Set<string>> => {
  const { results } = await searchConversations({ ...all, pattern }, home.ports);
  return new Set(results.map(({ conversation }) => conversation));
};

const PATTERNS = [
  "race condition",
  '"race condition"',
  '"git commit -m"',
  "shadow branch",
  "TODO",
  "func (s *ManualCommitStrategy)",
  "git commit -m",
  "README",
  "ü",
  "→",
  "go",
  "zzzqqqxxx",
  "/err(or)?:\\s+\\w+/i",
  "/\\bexit code [1-9]/",
  "/(alpha|beta)/",
];

const home = corpusHome();

describe.skipIf(!home)("over every transcript of the corpus", () => {
  const made = home as TestHome;
  beforeAll(() => {
    for (const entry of readdirSync(made.home, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      chmodSync(path, statSync(path).mode | 0o700);
    }
  });
  afterAll(() => made.remove());

  test.each(PATTERNS)("finds exactly the conversations that hold %s", async (pattern) => {
    expect([...(await search(made, pattern))].sort()).toEqual([...(await scanAll(made, pattern))].sort());
  });

  test("names messages that hold the pattern, and says truly whether they are in the context", async () => {
    const { results } = await searchConversations({ ...all, pattern: '"race condition"' }, made.ports);
    for (const { conversation, hits } of results) {
      const open = await openConversation(conversation, made.ports);
      for (const hit of hits) {
        const id = hit.message.slice(hit.message.indexOf("/") + 1);
        const message = open.conversation.messages.find((each) => each.id === id);
        expect(message?.parts.some(({ text }) => text.toLowerCase().includes("race condition"))).toBe(true);
        if (message?.context !== hit.context) expect(hit.context).toBe("in");
      }
    }
  });

  test("a limit gives the first of the same order", async () => {
    const every = await searchConversations({ ...all, pattern: "test" }, made.ports);
    const three = await searchConversations(
      { pattern: "test", limit: 3, includeSubAgents: true },
      made.ports,
    );
    expect(three.results.map(({ conversation }) => conversation)).toEqual(
      every.results.slice(0, 3).map(({ conversation }) => conversation),
    );
  });
});

describe("while conversations change", () => {
  let made: TestHome;
  const line = (uuid: string, text: string, parent: string | null = null) =>
    `${JSON.stringify({ type: "user", uuid, parentUuid: parent, sessionId: "s", cwd: "/w", timestamp: "2026-02-01T10:00:00.000Z", message: { role: "user", content: text } })}\n`;
  const fileOf = (name: string) => join(made.home, ".claude", "projects", "p", `${name}.jsonl`);
  const write = (name: string, content: string) => {
    mkdirSync(join(made.home, ".claude", "projects", "p"), { recursive: true });
    writeFileSync(fileOf(name), content);
  };
  const found = async (pattern: string) => [...(await search(made, pattern))].sort();

  const setUp = () => {
    made = emptyHome();
    write("one", line("a1", "the quick brown fox"));
    write("two", line("b1", "jumps over the lazy dog"));
  };
  afterEach(() => made.remove());

  test("finds what was appended, made, rewritten and deleted a moment ago", async () => {
    setUp();
    expect(await found("lazy")).toEqual(["claude:two"]);
    appendFileSync(fileOf("one"), line("a2", "so lazy today", "a1"));
    expect(await found("lazy")).toEqual(["claude:one", "claude:two"]);
    write("three", line("c1", "a lazy third"));
    expect(await found("lazy")).toEqual(["claude:one", "claude:three", "claude:two"]);
    write("two", line("b1", "an industrious dog, wholly rewritten"));
    expect(await found("lazy")).toEqual(["claude:one", "claude:three"]);
    expect(await found("industrious")).toEqual(["claude:two"]);
    rmSync(fileOf("three"));
    expect(await found("lazy")).toEqual(["claude:one"]);
  });

  test("does not write the index anew when nothing has changed, whichever runtime asks", async () => {
    setUp();
    for (let n = 0; n < 30; n += 1) write(`more${n * 7919}`, line(`m${n}`, "more of it"));
    await found("more");
    const manifest = join(indexFolder(made.ports), "manifest.json");
    const before = statSync(manifest);
    await found("of it");
    const script = join(import.meta.dirname, "fixtures", "search-once.ts");
    const child = spawn(bunBinary(), [script, "lazy"], {
      env: { ...process.env, HOME: made.home },
      stdio: "ignore",
    });
    await new Promise((resolve) => child.once("close", resolve));
    await found("lazy");
    expect(statSync(manifest)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  });

  test("names a database it cannot read and searches the rest", async () => {
    setUp();
    const folder = join(made.home, ".local", "share", "opencode");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "opencode.db"),
      "this is no database, however long one looks at it ".repeat(40),
    );
    for (const _ of [1, 2]) {
      const answer = await searchConversations({ ...all, pattern: "lazy" }, made.ports);
      expect(answer.results.map(({ conversation }) => conversation)).toEqual(["claude:two"]);
      expect(answer.problems).toEqual([expect.stringContaining("opencode.db")]);
    }
    expect(await listSources(made.ports)).toHaveLength(2);
  });

  test("finds a line once it is whole, and only then counts it as read", async () => {
    setUp();
    const text = line("a2", "written in two goes", "a1");
    appendFileSync(fileOf("one"), text.slice(0, 40));
    expect(await found("two goes")).toEqual([]);
    appendFileSync(fileOf("one"), text.slice(40));
    expect(await found("two goes")).toEqual(["claude:one"]);
    appendFileSync(fileOf("one"), line("a3", "and goes on", "a2").trimEnd());
    expect(await found("goes on")).toEqual(["claude:one"]);
    appendFileSync(fileOf("one"), `\n${line("a4", "and on", "a3")}`);
    const { results } = await searchConversations({ ...all, pattern: "goes" }, made.ports);
    expect(results[0]?.hits.map(({ message }) => message)).toEqual(["claude:one/a3", "claude:one/a2"]);
  });

  test("says of a message that it left the context after it was indexed", async () => {
    setUp();
    const state = async () =>
      (await searchConversations({ ...all, pattern: "fox" }, made.ports)).results[0]?.hits[0]?.context;
    expect(await state()).toBe("in");
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      uuid: "x",
      parentUuid: null,
      timestamp: "2026-02-01T11:00:00.000Z",
    };
    appendFileSync(fileOf("one"), `${JSON.stringify(boundary)}\n${line("a2", "summary", "x")}`);
    expect(await state()).toBe("compacted");
  });

  test.each([
    ["cut short", (path: string) => truncateSync(path, Math.trunc(statSync(path).size / 2))],
    ["emptied", (path: string) => truncateSync(path, 0)],
    ["gone", (path: string) => rmSync(path)],
    ["overwritten", (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5))],
  ])("builds the index anew when a segment is %s", async (_, damage) => {
    setUp();
    expect(await found("lazy")).toEqual(["claude:two"]);
    const folder = indexFolder(made.ports);
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".seg")))
      damage(join(folder, name));
    expect(await found("lazy")).toEqual(["claude:two"]);
    expect(await found("quick")).toEqual(["claude:one"]);
  });

  test("builds the index anew when its manifest is no JSON", async () => {
    setUp();
    expect(await found("lazy")).toEqual(["claude:two"]);
    writeFileSync(join(indexFolder(made.ports), "manifest.json"), "{");
    expect(await found("lazy")).toEqual(["claude:two"]);
  });

  test("reads directly what another process is indexing", async () => {
    setUp();
    expect(await found("lazy")).toEqual(["claude:two"]);
    const { tryLock } = await import("../core/file-lock.ts");
    const { lock } = tryLock(join(indexFolder(made.ports), "index.lock"), { label: "another" });
    appendFileSync(fileOf("one"), line("a2", "so lazy today", "a1"));
    write("two", line("b1", "rewritten"));
    const answer = await searchConversations({ ...all, pattern: "lazy" }, made.ports);
    expect(answer.results.map(({ conversation }) => conversation)).toEqual(["claude:one"]);
    expect(answer.scanned).toBe(2);
    lock?.release();
  });

  test("keeps few segments and drops what was rewritten, however often conversations change", async () => {
    setUp();
    for (let round = 0; round < 80; round += 1) {
      write("two", line("b1", `version ${round} of it, different in length ${"x".repeat(round)}`));
      expect(await found(`version ${round} of`)).toEqual(["claude:two"]);
    }
    expect(await found("version 3 of")).toEqual([]);
    const segments = readdirSync(indexFolder(made.ports)).filter((name) => name.endsWith(".seg"));
    expect(segments.length).toBeLessThanOrEqual(10);
  });

  test("survives indexers that are killed, and two at once", async () => {
    setUp();
    for (let n = 0; n < 120; n += 1)
      write(
        `many${n}`,
        Array.from({ length: 40 }, (_, i) =>
          line(`${n}-${i}`, `text ${n} ${i} marker${n}m ${"word ".repeat(200)}`),
        ).join(""),
      );
    const script = join(import.meta.dirname, "fixtures", "search-once.ts");
    const run = () =>
      spawn(bunBinary(), [script, "marker7m"], {
        env: { ...process.env, HOME: made.home },
        stdio: ["ignore", "pipe", "inherit"],
        detached: true,
      });
    for (const delay of [1, 2, 3]) {
      const child = run();
      const started = new Promise((resolve) => child.stdout.once("data", resolve));
      await started;
      for (let turn = 0; turn < delay; turn += 1) await new Promise(setImmediate);
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await new Promise((resolve) => child.once("close", resolve));
    }
    const answers = await Promise.all(
      [run(), run()].map(async (child) => {
        let out = "";
        child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
        await new Promise((resolve) => child.once("close", resolve));
        return out.split("\n").filter((text) => text.startsWith("found"));
      }),
    );
    expect(answers).toEqual([["found claude:many7"], ["found claude:many7"]]);
    expect(await found("marker119m")).toEqual(["claude:many119"]);
  }, 60_000);
});

test.each([
  ["foo.*barbaz", "", "barbaz"],
  ["colou?r", "", "colo"],
  ["(abc)?def", "", "def"],
  ["a|b", "", ""],
  ["x{2,3}yes", "", "yes"],
  ["\\d+ files", "", " files"],
  ["\\u0041bc", "", ""],
  ["[abc]tail", "", "tail"],
  ["straße", "iu", ""],
])("of /%s/%s the index may look for %j", (source, flags, literal) => {
  expect(requiredLiteral(source, flags)).toBe(literal);
});
