import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findIdentity } from "../core/process-identity.ts";
import type { Database } from "./database.ts";
import { migrate } from "./migrate.ts";
import { openDatabase } from "./open-database.ts";

let home: string;
let db: Database;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-db-"));
  db = openDatabase(home);
  db.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)");
});
afterEach(() => {
  db.close();
  rmSync(home, { recursive: true, force: true });
});

const texts = () => db.all<{ text: string }>("SELECT text FROM notes ORDER BY id").map(({ text }) => text);
const add = (text: string) => db.run("INSERT INTO notes (text) VALUES (?)", [text]);

test("runs with its own lock exclusive and in WAL", () => {
  expect(db.get("PRAGMA locking_mode")).toEqual({ locking_mode: "exclusive" });
  expect(db.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
  expect(db.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
});

test("parameters go by their number, in whatever order they stand in the text", () => {
  expect(db.get("SELECT $2 AS second, $1 AS first, $2 AS again", ["a", "b"])).toEqual({
    second: "b",
    first: "a",
    again: "b",
  });
  db.run("UPDATE notes SET text = $3 WHERE id = $1 AND text <> $2", [1, "x", "y"]);
  db.run("INSERT INTO notes (text, id) VALUES ($2, $1)", [7, "seven"]);
  expect(db.all("SELECT id, text FROM notes")).toEqual([{ id: 7, text: "seven" }]);
});

test("a transaction that throws leaves nothing, an inner one only undoes itself", () => {
  expect(() =>
    db.transaction(() => {
      add("a");
      throw new Error("no");
    }),
  ).toThrow("no");
  db.transaction(() => {
    add("b");
    expect(() =>
      db.transaction(() => {
        add("c");
        throw new Error("inner");
      }),
    ).toThrow("inner");
    add("d");
  });
  expect(texts()).toEqual(["b", "d"]);
});

test("changes queued together commit together, and one that fails undoes only itself", async () => {
  const results = await Promise.allSettled([
    db.write(() => add("a")),
    db.write(() => {
      add("b");
      add("a");
    }),
    db.write(() => add("c")),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(texts()).toEqual(["a", "c"]);
});

test("hundreds of different statements do not pile up", () => {
  for (let at = 0; at < 700; at++) db.get(`SELECT ${at}`);
  add("still works");
  expect(texts()).toEqual(["still works"]);
});

test("each migration runs once, and a database of a newer version is refused", () => {
  const steps = [
    { number: 9002, name: "second", sqlite: "INSERT INTO notes (text) VALUES ('second')" },
    { number: 9001, name: "first", sqlite: "INSERT INTO notes (text) VALUES ('first')" },
  ];
  const before = db.all<{ number: number }>("SELECT number FROM schema_migrations");
  const known = before.map(({ number }) => ({ number, name: "known", sqlite: "" }));
  expect(migrate(db, [...known, ...steps], () => 0)).toEqual([9001, 9002]);
  expect(migrate(db, [...known, ...steps], () => 0)).toEqual([]);
  expect(texts()).toEqual(["first", "second"]);
  expect(() => migrate(db, known, () => 0)).toThrow(
    "was changed by a newer version (step 9001 first, 9002 second)",
  );
});

test("a migration that fails leaves nothing of itself", () => {
  const before = db.all<{ number: number }>("SELECT number FROM schema_migrations");
  const known = before.map(({ number }) => ({ number, name: "known", sqlite: "" }));
  const broken = {
    number: 9001,
    name: "broken",
    sqlite: "INSERT INTO notes (text) VALUES ('x'); SELECT nonsense FROM nowhere",
  };
  expect(() => migrate(db, [...known, broken], () => 0)).toThrow();
  expect(texts()).toEqual([]);
});

test("refuses a second opening while the first is alive, naming its process", () => {
  expect(() => openDatabase(home)).toThrow(`is held by nightshift server (pid ${process.pid}`);
});

test("does not start on a damaged file", () => {
  db.close();
  writeFileSync(join(home, "nightshift.sqlite"), Buffer.alloc(8192, 7));
  expect(() => openDatabase(home)).toThrow(/cannot open .*nightshift\.sqlite/);
  rmSync(join(home, "nightshift.sqlite"));
  rmSync(join(home, "nightshift.sqlite-wal"), { force: true });
  db = openDatabase(home);
});

test("does not start on a file of which one page is damaged, and says where a backup goes", () => {
  db.transaction(() => {
    for (let at = 0; at < 2000; at++) add(`a text that fills pages ${at}`);
  });
  db.close();
  const path = join(home, "nightshift.sqlite");
  const bytes = readFileSync(path);
  // Cells of a page in the middle: whoever only reads the header does not see it.
  bytes.fill(0xff, bytes.length / 2 - 3000, bytes.length / 2 + 3000);
  writeFileSync(path, bytes);
  expect(() => openDatabase(home)).toThrow(/quick_check.*Restore a backup with: nightshift restore/s);
  rmSync(path);
  db = openDatabase(home);
});

test("leaves the lock folder of a process that lives, names it, and takes over when it is gone", async () => {
  db.close();
  const other = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  writeFileSync(join(home, "server.opener.json"), JSON.stringify(findIdentity(other.pid ?? 0)));
  mkdirSync(join(home, "nightshift.sqlite.lock"));
  expect(() => openDatabase(home)).toThrow(`is open in process ${other.pid}; when you are sure`);
  other.stdin.end();
  await once(other, "close");
  db = openDatabase(home);
  expect(texts()).toEqual([]);
});

test("leaves the lock folder of a program that is not ours alone, and says so", () => {
  db.close();
  rmSync(join(home, "server.opener.json"));
  mkdirSync(join(home, "nightshift.sqlite.lock"));
  expect(() => openDatabase(home)).toThrow("is open in a program that is not ours");
  rmSync(join(home, "nightshift.sqlite.lock"), { recursive: true });
  db = openDatabase(home);
});

test("a statement that failed works again the next time", () => {
  add("a");
  expect(() => add("a")).toThrow("UNIQUE");
  add("b");
  expect(() => add("a")).toThrow("UNIQUE");
  expect(texts()).toEqual(["a", "b"]);
});
