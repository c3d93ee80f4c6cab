import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bunBinary } from "../bun.ts";
import { eventually } from "../eventually.ts";
import { hasPostgres } from "./find-postgres.ts";
import { startPostgres, type TestPostgres } from "./start-postgres.ts";

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

describe.skipIf(!hasPostgres)("a PostgreSQL of a test's own", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test("gives every test a database of its own, made from a template", async () => {
    const template = await server.createTemplate(async (url) => {
      await server.query(url, "CREATE TABLE things (name TEXT)");
    });
    const [first, second] = [await server.createDatabase(template), await server.createDatabase(template)];
    await server.query(first, "INSERT INTO things VALUES ('a')");
    expect(await server.query(first, "SELECT name FROM things")).toEqual([{ name: "a" }]);
    expect(await server.query(second, "SELECT name FROM things")).toEqual([]);
  });

  test("is killed and starts again at the same address with what was committed", async () => {
    const url = await server.createDatabase();
    await server.query(url, "CREATE TABLE kept (name TEXT)");
    await server.kill();
    expect(await isListening(server.port)).toBe(false);
    await server.start();
    expect(await server.query(url, "SELECT count(*)::int AS rows FROM kept")).toEqual([{ rows: 0 }]);
    await server.shutDown();
    await server.start();
    expect(await server.query(url, "SELECT count(*)::int AS rows FROM kept")).toEqual([{ rows: 0 }]);
  });

  test("refuses changes while it is read-only", async () => {
    const url = await server.createDatabase();
    await server.setReadOnly(true);
    await eventually(async () => {
      try {
        await server.query(url, "CREATE TABLE refused (name TEXT)");
        await server.query(url, "DROP TABLE refused");
        return "";
      } catch (error) {
        return String(error);
      }
    }).toContain("read-only transaction");
    await server.setReadOnly(false);
    await eventually(() =>
      server.query(url, "CREATE TABLE IF NOT EXISTS taken (name TEXT)").then(
        () => "taken",
        (error: unknown) => String(error),
      ),
    ).toBe("taken");
  });
});

test.skipIf(!hasPostgres)("ends with its folder when the process that started it is killed", async () => {
  const child = spawn(bunBinary(), [join(import.meta.dirname, "fixtures/die-with-postgres.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += String(chunk)));
  await new Promise((resolve) => child.once("exit", resolve));
  const { port, folder } = JSON.parse(text) as { port: number; folder: string };
  await eventually(() => isListening(port)).toBe(false);
  await eventually(() => existsSync(join(folder, "data"))).toBe(false);
});
