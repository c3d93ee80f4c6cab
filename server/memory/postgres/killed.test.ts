// @module-tag long

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { hasPostgres } from "../../../test/postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../../../test/postgres/start-postgres.ts";
import { openPostgres } from "../../../db/postgres/open-postgres.ts";
import { exitOf, type SpawnedServer, spawnServer, spawnServerProcess } from "../../fixtures/spawn-server.ts";
import { createSilentLog } from "../../../core/log.ts";
import { analyzeLearning } from "../analysis/analyze.ts";
import { openPostgresStores } from "../fixtures/engines.ts";
import { startClients } from "../fixtures/writing-clients.ts";

/** How often a server is killed under load: all of it in CI, a sample elsewhere. */
const KILLS = Number(process.env["NIGHTSHIFT_KILLS"] ?? (process.env["CI"] ? 50 : 12));
/** How often the database is. */
const DATABASE_KILLS = Math.max(3, Math.ceil(KILLS / 20));
const SERVERS = 3;
const CLIENTS = 4;
const MAX_WRITES_PER_LIFE = 12;

describe.skipIf(!hasPostgres)("kill -9 beside PostgreSQL", () => {
  let postgres: TestPostgres;
  let home: string;
  let url: string;
  let keyFile: string;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "nightshift-kill-"));
    keyFile = join(home, "memory-api-key");
    url = await postgres.createDatabase();
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const environment = (at: number) => ({
    DATABASE_URL: url,
    MEMORY_API_KEY_FILE: keyFile,
    NIGHTSHIFT_HOME: join(home, `server-${at}`),
  });
  const start = (at: number): Promise<SpawnedServer> => spawnServer(home, environment(at));
  const readKey = (): string => readFileSync(keyFile, "utf8").trim();

  /** Every acknowledged learning is there, whole, with its words counted and its journal. */
  const expectEverythingThere = async (acknowledged: ReadonlyMap<string, string>): Promise<void> => {
    const { stores, close } = await openPostgresStores(url, Date.now);
    try {
      const stored = new Map<string, string>();
      const counts = new Map<string, number>();
      for await (const learning of stores.learnings.each({ visibility: { scopes: "all" } })) {
        stored.set(learning.id, learning.learning);
        for (const term of analyzeLearning(learning).terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      }
      for (const [id, learning] of acknowledged) expect(stored.get(id)).toBe(learning);
      expect((await stores.learnings.totals()).documents).toBe(stored.size);
      expect(await stores.learnings.documentsWith([...counts.keys()])).toEqual(counts);
    } finally {
      await close();
    }
    const orphans = await postgres.query(
      url,
      "SELECT count(*)::int AS orphans FROM memory_learnings WHERE seq NOT IN (SELECT learning_seq FROM memory_journal)",
    );
    expect(orphans).toEqual([{ orphans: 0 }]);
  };

  test(
    `servers killed ${KILLS} times under load lose nothing, and the others go on`,
    { timeout: 60_000 + KILLS * 15_000 },
    async () => {
      const servers: SpawnedServer[] = [];
      for (let at = 0; at < SERVERS; at++) servers.push(await start(at));
      /** those that were killed and are not up again */
      const down = new Set<number>();
      let kills = 0;
      let onWrite = (): void => {};
      const clients = startClients(CLIENTS, {
        urls: () => servers.filter((_, at) => !down.has(at)).map((server) => server.url),
        key: readKey(),
        onAcknowledged: () => onWrite(),
      });
      /** resolves after so many acknowledged writes from now on, on whichever server */
      const waiting = new Set<{ left: number; resolve: () => void }>();
      onWrite = () => {
        for (const one of waiting) if (--one.left <= 0) one.resolve();
      };
      const writes = (count: number) =>
        new Promise<void>((resolve) => {
          const one = {
            left: count,
            resolve: () => {
              waiting.delete(one);
              resolve();
            },
          };
          waiting.add(one);
        });
      const live = async (at: number): Promise<void> => {
        while (kills < KILLS) {
          kills++;
          const server = servers[at];
          await writes(1 + Math.floor(Math.random() * MAX_WRITES_PER_LIFE));
          server?.child.kill("SIGKILL");
          down.add(at);
          if (server) expect(await exitOf(server.child)).toBe("SIGKILL");
          servers[at] = await start(at);
          down.delete(at);
        }
      };
      // One stays up, so that there is always somebody who writes.
      await Promise.all([live(1), live(2)]);
      await clients.stop();
      for (const server of servers) expect(await server.end("SIGTERM")).toBe(0);
      expect(clients.unexpected).toEqual([]);
      expect(clients.refused).toEqual([]);
      expect(clients.acknowledged.size).toBeGreaterThan(KILLS);
      await expectEverythingThere(clients.acknowledged);
    },
  );

  test(
    `the database killed ${DATABASE_KILLS} times under load: 503 with Retry-After meanwhile, and nothing lost`,
    { timeout: 60_000 + DATABASE_KILLS * 30_000 },
    async () => {
      const servers = [await start(0), await start(1)];
      const clients = startClients(CLIENTS, {
        urls: () => servers.map((server) => server.url),
        key: readKey(),
      });
      const healths = async () =>
        (await Promise.all(servers.map((server) => fetch(`${server.url}/health`)))).map(
          ({ status, headers }) => [status, headers.has("retry-after")],
        );
      for (let kill = 0; kill < DATABASE_KILLS; kill++) {
        const before = clients.acknowledged.size;
        await eventually(() => clients.acknowledged.size).toBeGreaterThan(before + 10);
        const refused = clients.refused.length;
        await (kill % 2 ? postgres.shutDown() : postgres.kill());
        await eventually(healths).toEqual([
          [503, true],
          [503, true],
        ]);
        await eventually(() => clients.refused.length).toBeGreaterThan(refused + 4);
        await postgres.start();
        await eventually(healths).toEqual([
          [200, false],
          [200, false],
        ]);
      }
      await clients.stop();
      expect(clients.unexpected).toEqual([]);
      const answers = new Set(
        clients.refused.map(
          ({ status, code, retryAfter }) => `${status} ${code} ${Number(retryAfter) > 0 ? "later" : "never"}`,
        ),
      );
      expect([...answers]).toEqual(["503 unavailable later"]);
      for (const server of servers) expect(await server.end("SIGTERM")).toBe(0);
      await expectEverythingThere(clients.acknowledged);
    },
  );

  test("killed at any step of the first start, the next start ends it", async () => {
    for (const tables of [1, 4, 12, 24]) {
      url = await postgres.createDatabase();
      const child = spawnServerProcess(home, environment(0));
      const db = await openPostgres(
        { url, poolSize: 1, statementTimeoutMs: 5000, waitMs: 5000 },
        { log: createSilentLog() },
      );
      await eventually(
        async () =>
          (
            await db.get<{ tables: number }>(
              "SELECT count(*) AS tables FROM pg_tables WHERE schemaname = 'public'",
            )
          )?.tables,
      ).toBeGreaterThanOrEqual(tables);
      child.kill("SIGKILL");
      expect(await exitOf(child)).toBe("SIGKILL");
      await db.close();
      const server = await start(0);
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
      expect(await server.end("SIGTERM")).toBe(0);
    }
  });
});
