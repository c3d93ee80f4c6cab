import { describe, expect, test } from "vitest";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { expectUnavailable, failureOf, useDatabases } from "./fixtures/use-databases.ts";
import { migratePostgres } from "./migrate-postgres.ts";

describe.skipIf(!hasPostgres)("a database that cannot be used", () => {
  const lab = useDatabases();

  test("a read-only database refuses changes and still answers", async () => {
    const db = await lab.open();
    await db.run("CREATE TABLE notes (text TEXT)");
    await db.run(
      "ALTER DATABASE " + new URL(lab.url).pathname.slice(1) + " SET default_transaction_read_only = on",
    );
    const reader = await lab.open();
    await expectUnavailable(reader.run("INSERT INTO notes VALUES ('a')"), "read-only replica");
    expect(await reader.all("SELECT * FROM notes")).toEqual([]);
  });

  test("a database that cannot hold every text is refused at once", async () => {
    for (const encoding of ["LATIN1", "SQL_ASCII"]) {
      const name = `other_${encoding.toLowerCase()}`;
      await lab.server.query(
        lab.url,
        `CREATE DATABASE ${name} ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc TEMPLATE template0`,
      );
      const { code, message } = await failureOf(lab.open({ url: lab.server.url(name) }));
      expect({ code, message }).toEqual({
        code: "config",
        message: expect.stringContaining(`its encoding is ${encoding}`),
      });
    }
  });

  test("a user without rights is told so when tables are to be made", async () => {
    const target = new URL(lab.url);
    await lab.server.query(lab.url, "REVOKE ALL ON SCHEMA public FROM public");
    await lab.server.query(lab.url, "CREATE ROLE guest LOGIN PASSWORD 'guest'");
    [target.username, target.password] = ["guest", "guest"];
    const db = await lab.open({ url: target.href });
    const { code, message } = await failureOf(migratePostgres(db, [], Date.now));
    expect({ code, message }).toEqual({ code: "config", message: expect.stringContaining("has to own") });
    expect(message).not.toContain("guest:");
  });

  test("does not wait when the password is wrong or there is no such database", async () => {
    const wrong = new URL(lab.url);
    wrong.password = "guessed";
    const refused = await failureOf(lab.open({ url: wrong.href }));
    expect(refused.code).toBe("config");
    expect(refused.message).not.toContain("guessed");
    const missing = new URL(lab.url);
    missing.pathname = "/nowhere";
    expect((await failureOf(lab.open({ url: missing.href }))).message).toContain(
      'database "nowhere" does not exist',
    );
  });

  test("servers that start at once migrate once, and a database of a newer version is refused", async () => {
    const steps = [
      { number: 2, name: "second", sqlite: "", postgres: "INSERT INTO notes VALUES ('second')" },
      {
        number: 1,
        name: "first",
        sqlite: "",
        postgres: "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('first')",
      },
    ];
    const servers = await Promise.all(Array.from({ length: 6 }, () => lab.open()));
    const done = await Promise.all(servers.map((db) => migratePostgres(db, steps, () => 0)));
    expect(done.flat().sort((a, b) => a - b)).toEqual([1, 2]);
    const [db] = servers;
    expect(await db?.all("SELECT text FROM notes")).toEqual([{ text: "first" }, { text: "second" }]);
    await expect(migratePostgres(await lab.open(), steps.slice(1), () => 0)).rejects.toThrow(
      "was changed by a newer version (step 2 second)",
    );
  });

  test("a step that fails leaves nothing of itself", async () => {
    const db = await lab.open();
    const broken = {
      number: 1,
      name: "broken",
      sqlite: "",
      postgres: "CREATE TABLE half (a INT); SELECT nonsense",
    };
    await expect(migratePostgres(db, [broken], () => 0)).rejects.toThrow("nonsense");
    expect(await db.get("SELECT to_regclass('half') AS half")).toEqual({ half: null });
    expect(await db.all("SELECT * FROM pg_tables WHERE tablename = 'schema_migrations'")).toEqual([]);
  });
});
