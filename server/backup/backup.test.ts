import {
  cpSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../db/open-database.ts";
import { openDiskBlobs } from "../blobs/blobs-disk.ts";
import { createSilentLog } from "../../core/log.ts";
import { openStores } from "../open-stores.ts";
import { createBackup } from "./backup.ts";
import { restoreBackup } from "./restore.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-backup-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = () => 1_800_000_000_000;
const bytes = Buffer.from("the bytes of a page");
const sha256 = createHash("sha256").update(bytes).digest("hex");

const fillHome = async (home: string, notes: string[]) => {
  const db = openDatabase(home);
  db.exec("CREATE TABLE IF NOT EXISTS notes (text TEXT)");
  for (const note of notes) db.run("INSERT INTO notes VALUES (?)", [note]);
  const blobs = openDiskBlobs(join(home, "blobs"), {});
  await blobs.put({ sha256, size: bytes.length }, Readable.from([bytes]), async () => {});
  return { db, blobs };
};

const notesOf = (home: string): string[] => {
  const db = openDatabase(home);
  try {
    return db.all<{ text: string }>("SELECT text FROM notes").map(({ text }) => text);
  } finally {
    db.close();
  }
};

test("a backup made while the database is in use is restored as it was, with its blobs", async () => {
  const home = join(folder, "home");
  const file = join(folder, "backup.tar");
  const { db, blobs } = await fillHome(home, ["one", "two"]);
  await pipeline(createBackup({ db, home, blobs, now }), createWriteStream(file));
  db.run("INSERT INTO notes VALUES ('after the backup')");
  db.close();
  expect(readdirSync(home).filter((name) => name.startsWith(".backup"))).toEqual([]);

  const other = join(folder, "other");
  expect(await restoreBackup(file, { home: other, replace: false, now })).toEqual({
    createdAt: "2027-01-15T08:00:00.000Z",
    blobs: 1,
    previous: undefined,
  });
  expect(notesOf(other)).toEqual(["one", "two"]);
  expect(Buffer.from(await openDiskBlobs(join(other, "blobs"), {}).read(sha256))).toEqual(bytes);

  await expect(restoreBackup(file, { home, replace: false, now })).rejects.toThrow("already has data");
  const { previous } = await restoreBackup(file, { home, replace: true, now });
  expect(notesOf(home)).toEqual(["one", "two"]);
  expect(previous).toBe(join(home, "nightshift.sqlite.before-restore-1800000000000"));
});

test("a backup that is cut off, or no backup, changes nothing", async () => {
  const home = join(folder, "home");
  const file = join(folder, "backup.tar");
  const { db, blobs } = await fillHome(home, ["one"]);
  await pipeline(createBackup({ db, home, blobs, now }), createWriteStream(file));
  db.close();
  truncateSync(file, Math.floor(readFileSync(file).length / 2));
  await expect(restoreBackup(file, { home, replace: true, now })).rejects.toThrow("is not a complete backup");
  expect(notesOf(home)).toEqual(["one"]);
  expect(readdirSync(home).filter((name) => name.startsWith(".restore"))).toEqual([]);
});

test("a blob that is collected while a backup is made is not missed, and one that cannot be read is told", async () => {
  const home = join(folder, "home");
  const { db, blobs } = await fillHome(home, ["one"]);
  const gone = "0".repeat(64);
  const list = async function* () {
    yield gone;
    yield* blobs.list();
  };
  const file = join(folder, "backup.tar");
  await pipeline(createBackup({ db, home, blobs: { ...blobs, list }, now }), createWriteStream(file));
  const read = () => Promise.reject(new Error("the disk is damaged"));
  await expect(
    pipeline(createBackup({ db, home, blobs: { list, read }, now }), createWriteStream(`${file}.2`)),
  ).rejects.toThrow("the disk is damaged");
  db.close();
  expect(await restoreBackup(file, { home: join(folder, "other"), replace: false, now })).toMatchObject({
    blobs: 1,
  });
});

test("what a killed server had only in its log is in the database that a restore puts aside", async () => {
  const home = join(folder, "home");
  const file = join(folder, "backup.tar");
  const { db, blobs } = await fillHome(home, ["one"]);
  await pipeline(createBackup({ db, home, blobs, now }), createWriteStream(file));
  db.run("INSERT INTO notes VALUES ('since')");
  const killed = join(folder, "killed");
  for (const name of ["nightshift.sqlite", "nightshift.sqlite-wal"])
    cpSync(join(home, name), join(killed, name));
  db.close();
  expect(statSync(join(killed, "nightshift.sqlite-wal")).size).toBeGreaterThan(0);

  const { previous } = await restoreBackup(file, { home: killed, replace: true, now });
  expect(notesOf(killed)).toEqual(["one"]);
  const aside = join(folder, "aside");
  cpSync(previous ?? "", join(aside, "nightshift.sqlite"));
  expect(notesOf(aside)).toEqual(["one", "since"]);
});

test("what a killed backup or restore left is removed at the next start", async () => {
  const home = join(folder, "home");
  for (const name of [".backup-x1", ".restore-y2", "blobs"]) {
    mkdirSync(join(home, name), { recursive: true });
    writeFileSync(join(home, name, "nightshift.sqlite"), "half of it");
  }
  const stores = await openStores({ home, database: undefined }, { log: createSilentLog(), now });
  await stores.close();
  const left = readdirSync(home).filter((name) => /^\.|^blobs/.test(name));
  expect(left).toEqual(["blobs"]);
});

test("does not restore under a running server", async () => {
  const home = join(folder, "home");
  const { db } = await fillHome(home, []);
  await expect(restoreBackup("x", { home, replace: true, now })).rejects.toThrow("stop the server first");
  db.close();
  await expect(restoreBackup("x", { home, replace: true, now })).rejects.toThrow("there is no file x");
});
