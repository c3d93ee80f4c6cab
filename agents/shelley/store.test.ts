import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openConversation } from "../../conversations/find.ts";
import { emptyHome, type TestHome } from "../../conversations/fixtures/corpus-home.ts";
import { forgetMessages } from "../../conversations/forget.ts";
import { purgeMessages } from "../../conversations/purge.ts";
import { searchConversations } from "../../conversations/search.ts";
import { undoLast } from "../../conversations/undo.ts";
import { bunBinary } from "../../test/bun.ts";
import { withDatabase } from "../sqlite.ts";
import { runStatements } from "../sqlite-write.ts";
import { makeShelleyDatabase } from "./fixtures/documented-schema.ts";

let made: TestHome;
let path: string;
beforeEach(() => {
  made = emptyHome();
  const folder = join(made.home, ".config", "shelley");
  mkdirSync(folder, { recursive: true });
  path = join(folder, "shelley.db");
  makeShelleyDatabase(path);
});
afterEach(() => made.remove());

const open = () => openConversation("shelley:c1", made.ports);
const states = async () =>
  Object.fromEntries((await open()).conversation.messages.map(({ id, context }) => [id, context]));
const rows = () =>
  withDatabase(path, (database) =>
    JSON.stringify(database.all("SELECT rowid, * FROM messages ORDER BY rowid")),
  );

const numbers = () =>
  withDatabase(path, (database) => database.all("SELECT rowid, message_id FROM messages ORDER BY rowid"));

/** Another program that has the database open, as Shelley's server has. */
const hold = async () => {
  const child = spawn(bunBinary(), [join(import.meta.dirname, "fixtures/hold-database.ts"), path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  return {
    ask: async () => {
      child.stdin.write("go\n");
      return JSON.parse(String((await lines.next()).value)) as { excluded: unknown[]; check: unknown };
    },
    /** begins to read, and goes on reading until it is asked something */
    read: async () => {
      child.stdin.write("read\n");
      await lines.next();
    },
    end: async () => {
      child.stdin.end();
      await once(child, "close");
    },
  };
};

test("reads what Shelley would send: this generation, no noise rows, results told from prompts by content", async () => {
  const { conversation } = await open();
  expect(await states()).toEqual({
    m1: "in",
    m2: "compacted",
    m3: "in",
    m4: "in",
    m5: "in",
    m6: "not-sent",
    m7: "in",
    m8: "in",
    m9: "in",
  });
  expect(conversation.messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "user",
    "assistant",
    "tool",
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(conversation.messages[8]?.usage).toEqual({
    inputTokens: 6000,
    outputTokens: 20,
    isOutputExact: true,
  });
});

test("excludes a whole tool pair softly and puts back exactly the rows there were", async () => {
  const before = await rows();
  const report = await forgetMessages(await open(), { named: ["m8"], ports: made.ports });
  expect(report.closure.companions.map(({ id }) => id)).toEqual(["m7"]);
  expect(await states()).toMatchObject({ m7: "excluded", m8: "excluded", m9: "in", m5: "in" });
  expect(await rows()).not.toBe(before);
  expect((await undoLast("shelley:c1", made.ports)).way).toBe("exact");
  expect(await rows()).toBe(before);
});

test("does so while the server has the database open and goes on writing", async () => {
  const server = await hold();
  expect((await states())["live101"]).toBe("in");
  await forgetMessages(await open(), { named: ["m4"], ports: made.ports });
  const seen = await server.ask();
  expect(seen.excluded).toEqual([{ message_id: "m4" }, { message_id: "m5" }]);
  expect(seen.check).toEqual({ integrity_check: "ok" });
  expect((await states())["live102"]).toBe("in");
  await undoLast(undefined, made.ports);
  expect((await server.ask()).excluded).toEqual([]);
  expect((await states())["live103"]).toBe("in");
  await server.end();
});

test("refuses to leave an answer without the prompt before it", async () => {
  await expect(forgetMessages(await open(), { named: ["m3"], ports: made.ports })).rejects.toMatchObject({
    code: "bad-data",
    message: expect.stringContaining("begin with an answer"),
  });
});

test("finds in a database what is said now, also right after a change of the flag and of the rows", async () => {
  const find = async (pattern: string) =>
    (await searchConversations({ pattern, limit: 5 }, made.ports)).results.map(
      ({ hits }) => hits[0]?.context,
    );
  expect(await find("lighthouse")).toEqual(["in"]);
  await forgetMessages(await open(), { named: ["m5"], ports: made.ports });
  expect(await find("lighthouse")).toEqual(["excluded"]);
  const server = await hold();
  expect(await find('"live 101"')).toEqual(["in"]);
  await server.end();
});

/** The raw bytes of the database and of its log. */
const rawBytes = (): string =>
  ["", "-wal", "-journal"]
    .map((end) => `${path}${end}`)
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "latin1"))
    .join("");

/** A while after the last change: a conversation that is changing just now is refused as in use. */
const purge = async (message: string) =>
  purgeMessages(await open(), {
    named: [message],
    dryRun: false,
    ports: { ...made.ports, now: () => Date.now() + 300_000 },
  });

test("purges the bytes out of rows and full-text index, and keeps the row's number", async () => {
  const before = await numbers();
  const report = await purge("m5");
  expect(report.remains).toEqual([]);
  expect(await rows()).not.toContain("lighthouse");
  expect(await states()).toMatchObject({ m4: "excluded", m5: "excluded" });
  expect(rawBytes()).not.toContain("lighthouse");
  expect(await numbers()).toEqual(before);
});

test("purges the bytes out of the log of a database that a live server has open", async () => {
  const server = await hold();
  const filler = `UPDATE messages SET display_data = '"the lighthouse again ${"x".repeat(9000)}"' WHERE message_id = 'm5'`;
  await runStatements(path, [{ sql: filler, values: [] }]);
  expect(readFileSync(`${path}-wal`, "latin1")).toContain("lighthouse");
  const report = await purge("m5");
  expect(report.remains).toEqual([]);
  expect(rawBytes()).not.toContain("lighthouse");
  expect((await server.ask()).check).toEqual({ integrity_check: "ok" });
  expect(rawBytes()).not.toContain("lighthouse");
  await server.end();
});

test("refuses to purge while a reader keeps the log, and changes nothing", async () => {
  const server = await hold();
  await server.read();
  await runStatements(path, [{ sql: "UPDATE conversations SET slug = 'pier'", values: [] }]);
  const before = await rows();
  await expect(purge("m5")).rejects.toMatchObject({
    code: "locked",
    message: expect.stringContaining("nothing was changed"),
  });
  expect(await rows()).toBe(before);
  await server.ask();
  expect((await purge("m5")).remains).toEqual([]);
  expect(rawBytes()).not.toContain("lighthouse");
  await server.end();
});

test("says of a purge where a copy of the text still is", async () => {
  const copy = "INSERT INTO conversations (conversation_id, slug) VALUES ('c2', 'a lighthouse and a ferry')";
  await runStatements(path, [{ sql: copy, values: [] }]);
  expect((await purge("m5")).remains).toEqual([
    expect.stringContaining("shelley.db: the text is there still"),
  ]);
});
