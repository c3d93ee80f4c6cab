import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openConversation, listSources } from "./find.ts";
import { corpusHome, emptyHome, type TestHome } from "./fixtures/corpus-home.ts";
import { searchConversations } from "./search.ts";

const all = {
  limit: Number.MAX_SAFE_INTEGER,
  hitsPerConversation: Number.MAX_SAFE_INTEGER,
  includeSubAgents: true,
};

const KINDS = new Set(["text", "thinking", "tool-call", "tool-result"]);

/** Every (conversation, text) that holds the pattern, by reading every conversation and looking. */
/** A pattern read by rules of its own, so that the search is not compared with itself. */
const toFinder = (pattern: string): ((text: string) => boolean) => {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(pattern) ?? [];
  if (source !== undefined) return (text) => new RegExp(source, flags).test(text);
  return (text) => text.toLowerCase().includes(pattern.toLowerCase());
};

const scanAll = async (home: TestHome, pattern: string): Promise<Set<string>> => {
  const words =
    pattern.startsWith("/") || pattern.startsWith('"') ? [pattern.replaceAll('"', "")] : pattern.split(" ");
  const finders = words.map(toFinder);
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
    expect(results.length).toBeGreaterThan(1);
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
    expect(every.results.length).toBeGreaterThan(3);
    const three = await searchConversations(
      { pattern: "test", limit: 3, includeSubAgents: true },
      made.ports,
    );
    expect(three.results.map(({ conversation }) => conversation)).toEqual(
      every.results.slice(0, 3).map(({ conversation }) => conversation),
    );
  });
});

test("a hit is shown where it is, behind letters that are longer in lower case too", async () => {
  const { home, ports, remove } = emptyHome();
  const path = join(home, ".claude/projects/p/s.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  const content = `${"İ".repeat(200)}😀 needle in İstanbul`;
  const message = { role: "user", content };
  writeFileSync(path, `${JSON.stringify({ type: "user", uuid: "u1", parentUuid: null, message })}\n`);
  for (const pattern of ["needle", "in needle"]) {
    const { results } = await searchConversations({ pattern, limit: 1 }, ports);
    expect(results[0]?.hits[0]?.snippet).toMatch(/needle in İstanbul$/);
  }
  remove();
});

test("threads of a sub-agent are left out unless asked for, where only the file tells them", async () => {
  const { home, ports, remove } = emptyHome();
  const folder = join(home, ".codex/sessions/2026/01/01");
  mkdirSync(folder, { recursive: true });
  const sources = ["cli", { subagent: "review" }, { subagent: { thread_spawn: { parent_thread_id: "x" } } }];
  for (const [index, source] of sources.entries()) {
    const id = `0199aaaa-0000-7000-8000-00000000000${index}`;
    const content = [{ type: "input_text", text: "the walrus" }];
    const lines = [
      { type: "session_meta", payload: { id, cwd: "/nowhere", source } },
      { type: "response_item", payload: { type: "message", role: "user", content } },
    ];
    writeFileSync(
      join(folder, `rollout-1-${id}.jsonl`),
      lines.map((line) => JSON.stringify(line)).join("\n"),
    );
  }
  const find = async (includeSubAgents: boolean) =>
    (await searchConversations({ pattern: "walrus", limit: 9, includeSubAgents }, ports)).results.length;
  expect([await find(false), await find(true)]).toEqual([1, 3]);
  remove();
});
