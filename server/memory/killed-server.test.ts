// @module-tag long

import { existsSync, mkdtempSync, readFileSync, rmSync, watch, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../db/open-database.ts";
import { exitOf, type SpawnedServer, spawnServer, spawnServerProcess } from "../fixtures/spawn-server.ts";

/** How often the server is killed under load: all of it in CI, a sample elsewhere. */
const KILLS = Number(process.env["NIGHTSHIFT_KILLS"] ?? (process.env["CI"] ? 50 : 12));
const CLIENTS = 4;
const MAX_WRITES_PER_LIFE = 30;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-kill-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const readKey = (): string => readFileSync(join(home, ".memory-api-key"), "utf8").trim();

/** Writes until the server is gone; tells every learning that was acknowledged. */
const writeUntilDead = async (
  { url }: SpawnedServer,
  {
    key,
    name,
    onAcknowledged,
  }: { key: string; name: string; onAcknowledged: (id: string, learning: string) => void },
): Promise<void> => {
  for (let at = 0; ; at++) {
    const learning = `text ${name} number ${at} with a few more words of its own`;
    try {
      const response = await fetch(`${url}/learn`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ trigger: `trigger of ${name}-${at}`, learning }),
      });
      const { id } = (await response.json()) as { id: string };
      expect(response.status).toBe(200);
      onAcknowledged(id, learning);
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return; // the connection broke
      throw error;
    }
  }
};

const liveAndDie = async (life: number, acknowledged: Map<string, string>): Promise<void> => {
  const server = await spawnServer(home);
  const key = readKey();
  const killAfter = 1 + Math.floor(Math.random() * MAX_WRITES_PER_LIFE);
  let writes = 0;
  const onAcknowledged = (id: string, learning: string): void => {
    acknowledged.set(id, learning);
    if (++writes === killAfter) server.child.kill("SIGKILL");
  };
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, client) =>
      writeUntilDead(server, { key, name: `life-${life}-client-${client}`, onAcknowledged }),
    ),
  );
  expect(await exitOf(server.child)).toBe("SIGKILL");
};

const expectEverythingThere = async (acknowledged: ReadonlyMap<string, string>): Promise<void> => {
  const server = await spawnServer(home);
  const response = await fetch(`${server.url}/learnings/export`);
  const stored = new Map(
    (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; learning: string })
      .map(({ id, learning }) => [id, learning]),
  );
  for (const [id, learning] of acknowledged) expect(stored.get(id)).toBe(learning);
  expect(await server.end("SIGTERM")).toBe(0);
};

const expectWholeDatabase = (): void => {
  const db = openDatabase(join(home, ".nightshift"));
  try {
    expect(db.get("PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
    const { learnings } =
      db.get<{ learnings: number }>("SELECT count(*) AS learnings FROM memory_learnings") ?? {};
    expect(db.get("SELECT documents FROM memory_totals")).toEqual({ documents: learnings });
    expect(db.get("SELECT count(*) AS rows FROM memory_index")).toEqual({ rows: learnings });
    expect(db.get("SELECT documents FROM memory_terms WHERE term = 'trigger'")).toEqual({
      documents: learnings,
    });
    expect(
      db.get(
        "SELECT count(*) AS orphans FROM memory_learnings WHERE seq NOT IN (SELECT learning_seq FROM memory_journal)",
      ),
    ).toEqual({ orphans: 0 });
  } finally {
    db.close();
  }
};

test(
  `killed ${KILLS} times under load it starts again with every acknowledged learning and none half there`,
  { timeout: 60_000 + KILLS * 15_000 },
  async () => {
    const acknowledged = new Map<string, string>();
    for (let life = 0; life < KILLS; life++) await liveAndDie(life, acknowledged);
    await expectEverythingThere(acknowledged);
    expectWholeDatabase();
  },
);

test("killed at any point of its first start it starts the next time", async () => {
  for (let step = 1; step <= 10; step++) {
    const folder = join(home, ".nightshift");
    mkdirSync(folder, { recursive: true });
    const child = spawnServerProcess(home);
    let events = 0;
    const watcher = watch(folder, () => {
      if (++events === step * 2) child.kill("SIGKILL");
    });
    child.stdout?.once("data", () => child.kill("SIGKILL"));
    expect(await exitOf(child)).toBe("SIGKILL");
    watcher.close();
    const server = await spawnServer(home);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(readKey()).toMatch(/^nsm_/);
    await server.end("SIGTERM");
    expect(existsSync(join(folder, "nightshift.sqlite.lock"))).toBe(false);
    rmSync(folder, { recursive: true });
    rmSync(join(home, ".memory-api-key"));
  }
});

test("a second server on the same data refuses and names the first", async () => {
  const first = await spawnServer(home);
  await expect(spawnServer(home)).rejects.toThrow(
    new RegExp(`is held by nightshift server \\(pid ${first.child.pid}`),
  );
  expect((await fetch(`${first.url}/health`)).status).toBe(200);
  expect(await first.end("SIGTERM")).toBe(0);
});
