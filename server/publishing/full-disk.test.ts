// @module-tag long

import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { hasPostgres, serverUser } from "../../test/postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../../test/postgres/start-postgres.ts";
import { canMount, createSmallDisk, type SmallDisk } from "../../test/small-disk.ts";
import { type Answer, createPublisher, type Files, type Publisher } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";

const FILES = 24;
/** too little for all files, and enough for some of them */
const LEFT_BYTES = 9 * 1024 * 1024;

/** What is on the small disk, and what an upload is answered once that is full. */
const PLACES = {
  "SQLite and the blobs": { status: 507, code: "storage-full", error: /the disk is full; free some room/ },
  "PostgreSQL's tables": { status: 503, code: "unavailable", error: /its disk is full; try again in 30 s$/ },
  // Without room for its log PostgreSQL goes down by itself, and comes back when somebody starts it.
  "all of PostgreSQL": {
    status: 503,
    code: "unavailable",
    error:
      /(?:disk is full|connection to it was lost|starting, stopping or has restarted|cannot be reached); try again in \d+ s$/,
  },
} as const;

type Place = keyof typeof PLACES;
const isHere = (place: Place): boolean => canMount && (place === "SQLite and the blobs" || hasPostgres);

/** PostgreSQL beside the small disk, with only the tables of the new database on it. */
const createDatabaseOn = async (postgres: TestPostgres, disk: SmallDisk): Promise<string> => {
  const folder = join(disk.folder, "tables");
  mkdirSync(folder);
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const url = await postgres.createDatabase();
  const administrate = (statement: string) => postgres.query(postgres.url("postgres"), statement);
  await administrate(`CREATE TABLESPACE small LOCATION '${folder}'`);
  await administrate(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET TABLESPACE small`);
  return url;
};

/** Bytes that no disk can pack. */
const incompressible = (count: number): Map<string, Buffer> =>
  new Map(Array.from({ length: count }, (_, nth) => [`assets/${nth}.bin`, randomBytes(1_048_576)]));

describe.each(Object.keys(PLACES) as Place[])("on a full disk with %s", (place) => {
  let disk: SmallDisk | undefined;
  let postgres: TestPostgres | undefined;
  let server: TestServer | undefined;
  let publisher: Publisher;

  beforeAll(async () => {
    if (!isHere(place)) return;
    disk = createSmallDisk(place === "all of PostgreSQL" ? "192m" : "96m");
    if (place === "PostgreSQL's tables") postgres = await startPostgres();
    if (place === "all of PostgreSQL")
      postgres = await startPostgres({
        folder: disk.folder,
        fsync: true,
        settings: { min_wal_size: "32MB", max_wal_size: "48MB" },
      });
    const url =
      postgres &&
      (await (place === "all of PostgreSQL" ? postgres.createDatabase() : createDatabaseOn(postgres, disk)));
    server = await startTestServer(
      "node",
      url === undefined ? { home: join(disk.folder, "home") } : { env: { DATABASE_URL: url } },
    );
    publisher = createPublisher(server.port, server.adminToken);
  });
  afterAll(async () => {
    await server?.stop();
    await postgres?.stop();
    disk?.remove();
  });

  const findMissing = async (id: string): Promise<string[]> => {
    const { missing } = (await publisher.send({ path: `/api/deployments/${id}` })).json() as {
      missing: { path: string }[];
    };
    return missing.map(({ path }) => path);
  };

  test.skipIf(!isHere(place))(
    "uploads are refused with the reason, what was acknowledged is there, and it goes on with room",
    async () => {
      await publisher.publish("kiosk", { "index.html": "live before" });
      await publisher.visit("kiosk", "/");
      const large = incompressible(FILES);
      const files: Files = { "index.html": "live after", ...Object.fromEntries(large) };
      const { deployment } = await publisher.create("kiosk", files);
      const { id } = deployment;
      disk?.fill(LEFT_BYTES);

      const kept = new Set<string>();
      const refused: Answer[] = [];
      for (const [path, content] of large) {
        const answer = await publisher.put(id, path, content);
        if (answer.status === 200) kept.add(path);
        else refused.push(answer);
      }
      expect(kept.size).toBeGreaterThan(0);
      expect(refused.length).toBeGreaterThan(0);
      const { status, code, error } = PLACES[place];
      for (const answer of refused) {
        expect(answer.json()).toMatchObject({ status, code, error: expect.stringMatching(error) });
        expect(answer.text).not.toMatch(/nightshift-full|127\.0\.0\.1|@/);
      }
      expect((await publisher.visit("kiosk", "/")).text).toBe("live before");
      expect((await publisher.activate(id)).status).not.toBe(200);

      disk?.free();
      if (place === "all of PostgreSQL") {
        await postgres?.kill();
        await postgres?.start();
      }
      await eventually(async () => (await publisher.send({ path: "/api/sites" })).status).toBe(200);
      const missing = await findMissing(id);
      expect(missing.filter((path) => kept.has(path))).toEqual([]);
      for (const path of missing)
        await eventually(async () => (await publisher.put(id, path, files[path] ?? "")).status).toBe(200);
      expect((await publisher.activate(id)).status).toBe(200);
      expect((await publisher.visit("kiosk", "/")).text).toBe("live after");
      for (const path of kept)
        expect(large.get(path)?.equals((await publisher.visit("kiosk", `/${path}`)).body), path).toBe(true);
    },
  );
});
