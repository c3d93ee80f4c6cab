import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bunBinary } from "../../../test/bun.ts";
import { findFreePort } from "../../../test/free-port.ts";
import { exitOf } from "../../../server/fixtures/spawn-server.ts";

const program = resolve(import.meta.dirname, "../../nightshift.ts");
let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-cli-"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const start = (words: string[], env: Record<string, string> = {}) =>
  spawn(bunBinary(), [program, ...words], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, LOG_LEVEL: "error", ...env },
  });

const run = async (words: string[], env: Record<string, string> = {}) => {
  const child = start(words, env);
  let out = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (out += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (errors += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, errors };
};

test("serve, memory, backup and restore, from the command line", async () => {
  const server = start(["serve", "--port", "0", "--json"]);
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(String(line)) as { url: string };
  const env = { NIGHTSHIFT_URL: url };

  expect(
    (await run(["memory", "add", "deploying the api", "migrate first", "--project", "api"], env)).out,
  ).toMatch(/^stored /);
  const found = await run(["memory", "search", "deploy", "the", "api"], env);
  expect(found).toMatchObject({ code: 0, out: expect.stringContaining("deploying the api: migrate first") });
  expect((await run(["memory", "search", "chocolate", "cake"], env)).code).toBe(1);

  const listed = await run(["memory", "list", "--json"], env);
  const { learnings } = JSON.parse(listed.out) as { learnings: { id: string; project: string }[] };
  expect(learnings).toMatchObject([{ project: "api" }]);
  expect((await run(["memory", "export", "out.jsonl"], env)).code).toBe(0);
  expect(readFileSync(join(home, "out.jsonl"), "utf8")).toContain('"migrate first"');

  const made = await run(["memory", "add-key", "ci", "--json"], env);
  const { id } = JSON.parse(made.out) as { id: string };
  expect((await run(["memory", "keys"], env)).out).toContain("ci");
  expect((await run(["memory", "rm-key", id], env)).out).toContain("revoked");

  expect((await run(["backup", "all.tar"], env)).out).toBe("wrote all.tar\n");
  expect((await run(["memory", "rm", learnings[0]?.id.slice(0, 8) ?? ""], env)).out).toBe("deleted 1\n");
  expect((await run(["memory", "import", "out.jsonl"], env)).out).toBe("stored 1, merged 0\n");

  expect((await run(["restore", "all.tar", "--replace"])).code).toBe(75);
  server.kill("SIGTERM");
  expect(await exitOf(server)).toBe(0);
  expect((await run(["restore", "all.tar"])).errors).toContain("add --replace");
  expect((await run(["restore", "all.tar", "--replace"])).code).toBe(0);
  expect((await run(["memory", "list"], env)).code).toBe(69);
  // Without a server the data folder itself is read.
  const nobody = { PORT: String(await findFreePort()) };
  const again = await run(["backup", "again.tar", "--json"], nobody);
  expect(JSON.parse(again.out)).toMatchObject({ from: "folder" });
});

test("a folder without a database is not backed up, and a backup is not put beside a DATABASE_URL", async () => {
  const env = { NIGHTSHIFT_HOME: join(home, "nothing") };
  expect(await run(["backup", "nothing.tar"], env)).toMatchObject({
    code: 66,
    errors: expect.stringContaining("there is no nightshift.sqlite in"),
  });
  expect(readdirSync(home)).not.toContain("nothing.tar");
  expect(
    await run(["restore", "all.tar"], { ...env, DATABASE_URL: "postgres://127.0.0.1:9/x" }),
  ).toMatchObject({
    code: 75,
    errors: expect.stringContaining("nightshift migrate"),
  });
  expect(readdirSync(home)).not.toContain("nothing");
});

test("faults of the server reach the terminal with their exit code", async () => {
  expect((await run(["memory", "rm"])).code).toBe(64);
  expect(await run(["memory", "add", "a", "b"], { NIGHTSHIFT_URL: "http://127.0.0.1:9" })).toMatchObject({
    code: 69,
    errors: expect.stringContaining("nightshift serve"),
  });
});
