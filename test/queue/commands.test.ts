// @module-tag long

import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres } from "../postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../postgres/start-postgres.ts";
import { QueueLab } from "./queue-lab.ts";

const NIGHTSHIFT = resolve(import.meta.dirname, "../../dist/scripts/nightshift.js");

describe.skipIf(!hasPostgres)("nightshift queue", () => {
  let server: TestPostgres;
  let lab: QueueLab;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    lab = await QueueLab.open(url);
  });
  afterAll(async () => {
    await lab?.close();
    await server.stop();
  });

  const queue = (words: string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number | null; out: string; err: string }>((done) => {
      const child = spawn(process.execPath, [NIGHTSHIFT, "queue", ...words], {
        cwd: lab.root,
        env: { ...lab.environment("desk"), ...env },
      });
      let out = "";
      let err = "";
      child.stdout.on("data", (chunk: Buffer) => (out += String(chunk)));
      child.stderr.on("data", (chunk: Buffer) => (err += String(chunk)));
      child.once("close", (code) => done({ code, out, err }));
    });
  const add = (...words: string[]) => queue(["add", "--worker", "docs", "--task", "Fix the links", ...words]);

  test("adds, lists, shows, cancels and retries, in words and as JSON", async () => {
    const dir = lab.folder("atlas", { isRepository: true });
    expect(await add("--dir", dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining("task 1 is ready"),
    });
    const second = JSON.parse(
      (await add("--repo", "git@git.example:team/atlas.git", "--after", "1", "--priority", "5", "--json"))
        .out,
    ) as object;
    expect(second).toMatchObject({ id: 2, state: "waiting", reason: "for task 1", after: [1], priority: 5 });
    const listed = JSON.parse((await queue(["list", "--json"])).out) as { tasks: object[]; counts: object };
    expect(listed).toMatchObject({ counts: { ready: 1, waiting: 1 } });
    expect(listed.tasks).toMatchObject([{ id: 1, host: "desk", dir, isInPlace: false }, { id: 2 }]);
    expect((await queue(["cancel", "1"])).out).toBe("task 1 is cancelled\n");
    expect((await queue(["list"])).out).toMatch(/^2 +blocked +docs .*task 1 ended cancelled/m);
    expect((await queue(["retry", "1"])).out).toBe("task 1 is ready again\n");
    const shown = (await queue(["show", "1"])).out;
    expect(shown).toMatch(/^task 1 {2}ready$/m);
    expect(shown).toContain(`desk:${dir}`);
    expect(shown.match(/added|cancelled|retried/g)?.length).toBeGreaterThanOrEqual(3);
  });

  test("refuses what cannot be, with an exit code and the next step", async () => {
    const refusals = await Promise.all([
      add(),
      add("--dir", join(lab.root, "absent")),
      add("--repo", "https://me:secret99@git.example/atlas.git"),
      add("--repo", "git@git.example:a.git", "--after", "999"),
      queue(["show", "999"]),
      queue(["cancel", "x"]),
      queue(["list", "--state", "redy"]),
    ]);
    expect(refusals.map(({ code }) => code)).toEqual([64, 66, 64, 66, 66, 64, 64]);
    expect(refusals.map(({ err }) => err).join("")).toContain("did you mean ready?");
    expect(JSON.stringify(refusals)).not.toContain("secret99");
  });

  test("says what is wrong with the database without its password", async () => {
    const wrong = new URL(url);
    wrong.password = "wr0ngpassword";
    const [none, noAddress, refused] = await Promise.all([
      queue(["list"], { DATABASE_URL: "" }),
      queue(["list"], { DATABASE_URL: "mysql://me:wr0ngpassword@host/db" }),
      queue(["list"], { DATABASE_URL: wrong.href }),
    ]);
    expect([none.code, noAddress.code, refused.code]).toEqual([78, 78, 78]);
    expect(none.err).toContain("set DATABASE_URL=postgres://");
    expect(JSON.stringify([none, noAddress, refused])).not.toContain("wr0ngpassword");
  });
});
