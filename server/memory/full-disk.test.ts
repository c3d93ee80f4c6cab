// @module-tag long

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canMount, createSmallDisk, type SmallDisk } from "../../test/small-disk.ts";
import { type MemoryServer, startMemoryServer } from "./fixtures/start-memory-server.ts";

describe.skipIf(!canMount)("on a disk that is full", () => {
  let disk: SmallDisk;
  let server: MemoryServer;
  beforeAll(async () => {
    disk = createSmallDisk("48m");
    server = await startMemoryServer({ NIGHTSHIFT_HOME: join(disk.folder, "home") });
  });
  afterAll(async () => {
    await server.stop();
    disk.remove();
  });

  let told = 0;
  const learn = () =>
    server.ask("POST", "/learn", {
      body: {
        trigger: `note ${++told}`,
        learning: Array.from({ length: 800 }, () => Math.random()).join(" "),
      },
    });

  test("a change is answered 507 with what to do, and what was told before is there afterwards", async () => {
    disk.fill(2 * 1024 * 1024);
    const kept: string[] = [];
    let answer = await learn();
    for (; answer.status === 200; answer = await learn()) kept.push(answer.json.id);
    expect(kept.length).toBeGreaterThan(0);
    expect({ status: answer.status, code: answer.json.code }).toEqual({ status: 507, code: "storage-full" });
    expect(answer.json.error).toBe(
      "The database cannot be used: the disk is full; free some room and try again",
    );
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await server.ask("GET", `/learning/${kept[0]}`)).status).toBe(200);
    disk.free();
    const last = await learn();
    expect(last.status).toBe(200);
    const { learnings } = (await server.ask("GET", "/learnings?limit=1000")).json;
    expect(learnings.map(({ id }) => id)).toEqual([last.json.id, ...kept.toReversed()]);
  });
});
