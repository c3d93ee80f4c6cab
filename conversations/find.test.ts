import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import sqlite from "node-sqlite3-wasm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Source } from "../agents/store.ts";
import { diagnoseSource } from "./doctor.ts";
import { findSource, listConversations, listSources, readConversation } from "./find.ts";
import { emptyHome, type TestHome } from "./fixtures/corpus-home.ts";
import { INVENTED, writeInvented } from "./fixtures/invented.ts";
import { asOrdinaryUser } from "./fixtures/ordinary-user.ts";
import { describeConversations } from "./list-conversations.ts";
import { openMessages } from "./open-messages.ts";
import { conversationPorts } from "./ports.ts";
import { purgeMessages } from "./purge.ts";
import { searchConversations } from "./search.ts";

let made: TestHome;
beforeEach(() => {
  made = emptyHome();
});
afterEach(() => made.remove());

const TURNS = [
  { prompt: "find the lighthouse", answers: [{ text: "Found.", calls: ["ls"], isBranchy: false }] },
  { prompt: "thanks", answers: [{ text: "Good.", calls: [], isBranchy: false }] },
];

describe("where a store is reached by more than one path", () => {
  test("each conversation is there once", async () => {
    writeInvented(made.home, "claude", TURNS);
    mkdirSync(join(made.home, ".config"));
    symlinkSync(join(made.home, ".claude"), join(made.home, ".config", "claude"));
    expect(await listSources(made.ports)).toHaveLength(1);
    expect((await findSource("claude:", made.ports).catch(String)) as string).toContain("no conversation");
    const { results } = await searchConversations({ pattern: "lighthouse", limit: 5 }, made.ports);
    expect(results).toHaveLength(1);
  });

  test("a copy of a conversation does not make a piece of its id ambiguous", async () => {
    const path = writeInvented(made.home, "claude", TURNS);
    const copy = path.replace("/projects/p/", "/projects/moved/");
    cpSync(path, copy);
    expect((await findSource("s", made.ports)).id).toBe("s");
  });

  test("what a link leads to is rewritten, and the link stays", async () => {
    const path = writeInvented(made.home, "claude", TURNS);
    const real = join(made.home, "real.jsonl");
    cpSync(path, real);
    rmSync(path);
    symlinkSync(real, path);
    const { open, named } = await openMessages(["claude:s/u1"], {
      conversation: undefined,
      ports: made.ports,
    });
    await purgeMessages(open, { named, dryRun: false, ports: made.ports });
    expect(readFileSync(real, "utf8")).not.toContain("find the lighthouse");
    expect(readFileSync(path, "utf8")).toBe(readFileSync(real, "utf8"));
  });
});

describe("every place an agent may be told to keep its conversations", () => {
  const places: [keyof typeof INVENTED, (home: string) => Record<string, string>, string][] = [
    ["claude", (home) => ({ CLAUDE_CONFIG_DIR: `${home}/.claude` }), ".claude"],
    ["claude", (home) => ({ CLAUDE_CONFIG_DIR: `${home}/a, ${home}/.claude` }), ".claude"],
    ["claude", (home) => ({ CLAUDE_CONFIG_DIR: `${home}/.claude`, XDG_CONFIG_HOME: "" }), ".claude"],
    ["codex", (home) => ({ CODEX_HOME: `${home}/.codex` }), ".codex"],
    ["gemini", (home) => ({ GEMINI_CLI_HOME: home }), ".gemini"],
    ["pi", (home) => ({ PI_CODING_AGENT_DIR: `${home}/.pi/agent` }), ".pi"],
    ["pi", (home) => ({ PI_CODING_AGENT_SESSION_DIR: `${home}/.pi/agent/sessions/--w--` }), ".pi"],
  ];
  test.each(places)("%s by %o", async (agent, env, top) => {
    writeInvented(made.home, agent, TURNS);
    expect(existsSync(join(made.home, top))).toBe(true);
    // A home of its own, so that only what the variable says leads there.
    const elsewhere = conversationPorts({ HOME: join(made.home, "other"), ...env(made.home) });
    expect((await listSources(elsewhere)).map(({ id }) => `${agent}:${id}`)).toEqual([INVENTED[agent].id]);
  });

  test("pi by its settings, with ~", async () => {
    const path = writeInvented(made.home, "pi", TURNS);
    mkdirSync(join(made.home, "kept"));
    cpSync(path, join(made.home, "kept", "1_q.jsonl"));
    writeFileSync(join(made.home, ".pi/agent/settings.json"), JSON.stringify({ sessionDir: "~/kept" }));
    expect((await listSources(made.ports)).map(({ id }) => id).sort()).toEqual(["p", "q"]);
  });
});

describe("a message named without its conversation", () => {
  test("is that of the conversation that has it, not of a newer one that mentions it", async () => {
    writeInvented(made.home, "claude", TURNS);
    writeInvented(made.home, "codex", [{ prompt: "look at msg_1 of the other", answers: [] }]);
    const ask = (id: string) => openMessages([id], { conversation: undefined, ports: made.ports });
    expect((await ask("msg_1")).open.conversation.agent).toBe("claude");
    await expect(ask("L2")).rejects.toMatchObject({ code: "usage" });
    await expect(ask("")).rejects.toMatchObject({ code: "usage" });
    await expect(ask("claude:s/")).rejects.toMatchObject({ code: "usage" });
  });
});

test("a transcript that is closed to us is an answer, not a bug, and hides no other", async () => {
  const path = writeInvented(made.home, "claude", TURNS);
  writeInvented(made.home, "codex", TURNS);
  await asOrdinaryUser(made.home, async () => {
    chmodSync(path, 0);
    const source = await findSource("claude:s", made.ports);
    await expect(readConversation(source)).rejects.toMatchObject({ code: "unavailable" });
    expect((await diagnoseSource(source)).unreadable).toContain("EACCES");
    const answer = await searchConversations({ pattern: "lighthouse", limit: 5 }, made.ports);
    expect(answer.results.map(({ agent }) => agent)).toEqual(["codex"]);
    expect(answer.problems.join()).toContain(path);
  });
});

test("a link that leads nowhere, or round and round, hides no other conversation", async () => {
  const path = writeInvented(made.home, "claude", TURNS);
  for (const [name, target] of [
    ["round.jsonl", "round.jsonl"],
    ["gone.jsonl", "nowhere"],
  ] as const)
    symlinkSync(target, join(path, "..", name));
  expect((await listSources(made.ports)).map(({ id }) => id)).toEqual(["s"]);
  const { results } = await searchConversations({ pattern: "lighthouse", limit: 5 }, made.ports);
  expect(results).toHaveLength(1);
});

test("a folder that is closed to us is named with every answer", async () => {
  const path = writeInvented(made.home, "claude", TURNS);
  writeInvented(made.home, "codex", TURNS);
  await asOrdinaryUser(made.home, async () => {
    for (const [folder, mode] of [
      [join(path, ".."), 0o600],
      [join(made.home, ".claude"), 0],
    ] as const) {
      chmodSync(folder, mode);
      await expect(findSource("claude:s", made.ports)).rejects.toThrow(/permission denied/);
      for (let times = 0; times < 2; times += 1) {
        const answer = await searchConversations({ pattern: "lighthouse", limit: 5 }, made.ports);
        expect(answer.results.map(({ agent }) => agent)).toEqual(["codex"]);
        expect(answer.problems.join()).toContain("permission denied");
      }
      chmodSync(folder, 0o700);
    }
  });
});

test("a transcript that went away meanwhile is not found", async () => {
  writeInvented(made.home, "claude", TURNS);
  const source: Source = { ...(await findSource("claude:s", made.ports)), path: join(made.home, "gone") };
  await expect(readConversation(source)).rejects.toMatchObject({ code: "not-found" });
  expect((await diagnoseSource(source)).unreadable).toContain("claude:s");
});

test("where no index can be kept every conversation is read, and the answer says so", async () => {
  writeInvented(made.home, "claude", TURNS);
  writeFileSync(join(made.home, "file"), "");
  const ports = conversationPorts({ HOME: made.home, NIGHTSHIFT_HOME: join(made.home, "file") });
  const answer = await searchConversations({ pattern: "lighthouse", limit: 5 }, ports);
  expect(answer.results.map(({ conversation }) => conversation)).toEqual(["claude:s"]);
  expect(answer.noIndex).toContain("cannot write");
});

test("an empty pattern is refused, not found everywhere", async () => {
  writeInvented(made.home, "claude", TURNS);
  for (const pattern of ["", "  "])
    await expect(searchConversations({ pattern, limit: 1 }, made.ports)).rejects.toMatchObject({
      code: "usage",
    });
});

test("a list of conversations says of each what it is about, where it was held and how large it is", async () => {
  const agents = ["claude", "codex", "gemini", "pi"] as const;
  for (const agent of agents) writeInvented(made.home, agent, TURNS);
  const { rows, problems } = await describeConversations(await listSources(made.ports), made.ports);
  expect(problems).toEqual([]);
  expect(rows.map(({ agent }) => agent).sort()).toEqual([...agents]);
  for (const { agent, title, dir, messages, tokens, lastMessageMs, changedMs } of rows) {
    // When something was said, not when its file was written: a copy is not newer.
    expect(lastMessageMs).toBeLessThan(changedMs);
    expect(title).toContain(TURNS[0]?.prompt);
    if (agent !== "gemini") expect(dir).toBe("/nowhere");
    expect(messages).toBeGreaterThanOrEqual(2);
    expect(tokens).toBeGreaterThan(0);
  }
});

test("a conversation that cannot be read is listed all the same, and named", async () => {
  writeInvented(made.home, "claude", TURNS);
  const [source] = await listSources(made.ports);
  const sources = [{ ...(source as Source), path: join(made.home, "gone") }];
  const { rows, problems } = await describeConversations(sources, made.ports);
  expect(rows).toMatchObject([{ id: "claude:s", agent: "claude" }]);
  expect(problems).toEqual([expect.stringContaining("cannot read claude:s")]);
});

test("a database that opencode 2 has taken over is refused with the reason, and hides no other conversation", async () => {
  writeInvented(made.home, "claude", TURNS);
  const folder = join(made.home, ".local/share/opencode");
  mkdirSync(folder, { recursive: true });
  const database = new sqlite.Database(join(folder, "opencode.db"));
  database.exec("CREATE TABLE session_v2 (id text PRIMARY KEY); INSERT INTO session_v2 VALUES ('ses_1')");
  database.close();
  const { sources, problems } = await listConversations(made.ports);
  expect(sources.map(({ agent }) => agent)).toEqual(["claude"]);
  expect(problems).toEqual([expect.stringMatching(/opencode\.db was migrated by opencode 2/)]);
  await expect(findSource("opencode:ses_1", made.ports)).rejects.toThrow(/migrated by opencode 2/);
  const found = await searchConversations({ pattern: "lighthouse", limit: 5 }, made.ports);
  expect(found.results).toHaveLength(1);
  expect(found.problems).toEqual([expect.stringMatching(/migrated by opencode 2/)]);
});
