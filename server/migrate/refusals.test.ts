import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { sha256 } from "../fixtures/http-client.ts";
import { start, useFilledFolder } from "./fixtures/filled-folder.ts";
import { migrateFolder } from "./migrate-folder.ts";

describe.skipIf(!hasPostgres)("what is not copied into PostgreSQL", () => {
  const lab = useFilledFolder();

  test("refuses a database with data, and one that has half of another folder", async () => {
    const url = await lab.postgres.server().createDatabase();
    await lab.migrate(lab.copyOfFolder(), url);
    await expect(lab.migrate(lab.copyOfFolder(), url)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("is not empty: there are rows in blob_bodies"),
    });
    const half = await lab.postgres.server().createDatabase();
    const first = lab.copyOfFolder();
    const target = await lab.open(half);
    await expect(
      migrateFolder(first, {
        target,
        now: Date.now,
        onEvent: () => {
          throw new Error("interrupted");
        },
      }),
    ).rejects.toThrow("interrupted");
    await expect(lab.migrate(lab.copyOfFolder(), half)).rejects.toThrow(`has half of what is in ${first}`);
    expect(await lab.migrate(first, half)).toMatchObject({ isResumed: true });
  });

  test("refuses a folder whose server runs, one without data, and a damaged file", async () => {
    const home = lab.copyOfFolder();
    const url = await lab.postgres.server().createDatabase();
    const server = await start(home);
    await expect(lab.migrate(home, url)).rejects.toMatchObject({ code: "locked" });
    await server.stop();
    await expect(lab.migrate(lab.parent, url)).rejects.toMatchObject({ code: "not-found" });
    const name = sha256("blog");
    const file = join(home, "blobs", name.slice(0, 2), name);
    writeFileSync(file, "blig");
    await expect(lab.migrate(home, url)).rejects.toMatchObject({
      code: "bad-data",
      message: expect.stringContaining(name),
    });
    writeFileSync(file, "blog");
    expect(await lab.migrate(home, url)).toMatchObject({ isResumed: true });
  });

  test("notices what is not the same in both", async () => {
    const home = lab.copyOfFolder();
    const url = await lab.postgres.server().createDatabase();
    const target = await lab.open(url);
    const meddle = async (statement: string) => {
      let isDone = false;
      await migrateFolder(home, {
        target,
        now: Date.now,
        onEvent: ({ step }) => {
          if (step !== "verifying" || isDone) return;
          isDone = true;
          throw new Error("stop here");
        },
      }).catch(() => {});
      await target.run(statement);
    };
    await meddle("UPDATE memory_learnings SET learning = learning || '.' WHERE seq = 7");
    await expect(lab.migrate(home, url)).rejects.toThrow(
      "The table memory_learnings is not the same in both",
    );
    await target.run("UPDATE memory_learnings SET learning = rtrim(learning, '.') WHERE seq = 7");
    await meddle("UPDATE blob_parts SET bytes = set_byte(bytes, 0, 7) WHERE at = 0 AND length(bytes) = 4");
    await expect(lab.migrate(home, url)).rejects.toThrow(`The blob ${sha256("blog")} is not the same`);
  });
});
