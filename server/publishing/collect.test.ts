import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openDiskBlobs } from "../db/blobs-disk.ts";
import { openDatabase } from "../db/open-database.ts";
import { collect, expireOld } from "./collect.ts";
import { newDeploymentId } from "./deployment.ts";
import { createSqliteStore } from "./sqlite-store.ts";

const RULES = { keep: 1, pendingMs: 1000, graceMs: 500 };
const sha = (content: string) => createHash("sha256").update(content).digest("hex");

const openAll = () => {
  const home = mkdtempSync(join(tmpdir(), "nightshift-collect-"));
  const db = openDatabase(home);
  const clock = { at: 10_000 };
  const ports = {
    store: createSqliteStore(db),
    blobs: openDiskBlobs(join(home, "blobs")),
    retention: RULES,
    now: () => clock.at,
  };
  /** Puts a site with these contents live. */
  const publish = async (site: string, contents: string[]): Promise<string> => {
    const id = newDeploymentId();
    const manifest = contents.map((content, index) => ({
      path: index === 0 ? "index.html" : `${index}.txt`,
      size: content.length,
      contentType: "text/plain",
      sha256: sha(content),
    }));
    const record = {
      id,
      site,
      createdAt: clock.at,
      createdBy: "test",
      pinned: false,
      digest: sha(id),
      checks: [],
      manifest,
    };
    await ports.store.createDeployment(record);
    for (const [index, { sha256, size }] of manifest.entries())
      await ports.blobs.put({ sha256, size }, [Buffer.from(contents[index] ?? "")] as never, () =>
        ports.store.recordBlob({ sha256, size }, clock.at),
      );
    expect((await ports.store.activate({ id, at: clock.at, by: "test" })).kind).toBe("activated");
    await expireOld(ports, site);
    return id;
  };
  const isThere = async (content: string): Promise<boolean> =>
    ports.blobs.read(sha(content)).then(
      () => true,
      () => false,
    );
  const close = () => {
    db.close();
    rmSync(home, { recursive: true, force: true });
  };
  return { home, clock, ports, publish, isThere, close };
};

let all: ReturnType<typeof openAll>;
beforeEach(() => {
  all = openAll();
  return () => all.close();
});

test("removes the bytes of expired deployments after the grace time, and only those nobody else needs", async () => {
  const { clock, ports, publish, isThere } = all;
  await publish("a", ["first", "shared"]);
  await publish("b", ["other", "shared"]);
  clock.at += 1;
  await publish("a", ["second"]);
  clock.at += 1;
  await publish("a", ["third"]);
  const soon = await collect(ports, { dryRun: false });
  expect([soon.blobs, await isThere("first")]).toEqual([0, true]);
  clock.at += RULES.graceMs;
  const dry = await collect(ports, { dryRun: true });
  expect(dry).toMatchObject({ dryRun: true, blobs: 1, bytes: "first".length });
  expect(await isThere("first")).toBe(true);
  expect(await collect(ports, { dryRun: false })).toMatchObject({ blobs: 1, bytes: "first".length });
  expect(await isThere("first")).toBe(false);
  for (const content of ["shared", "other", "second", "third"])
    expect([content, await isThere(content)]).toEqual([content, true]);
});

test("keeps bytes that a new deployment asks for while they wait to be removed", async () => {
  const { clock, ports, publish, isThere } = all;
  for (const content of ["one", "two", "three"]) {
    await publish("a", [content]);
    clock.at += 1;
  }
  clock.at += RULES.graceMs;
  await publish("b", ["one"]);
  await collect(ports, { dryRun: false });
  expect(await isThere("one")).toBe(true);
});

test("expires what nobody activated, and forgets it after a month", async () => {
  const { clock, ports, publish } = all;
  await publish("a", ["live"]);
  const id = newDeploymentId();
  const manifest = [{ path: "index.html", size: 1, contentType: "text/html", sha256: sha("x") }];
  await ports.store.createDeployment({
    id,
    site: "a",
    createdAt: clock.at,
    createdBy: "t",
    pinned: false,
    digest: "d",
    checks: [],
    manifest,
  });
  clock.at += RULES.pendingMs;
  expect((await collect(ports, { dryRun: false })).expired).toEqual([id]);
  expect((await ports.store.activate({ id, at: clock.at, by: "t" })).kind).toBe("expired");
  clock.at += 31 * 24 * 3_600_000;
  expect((await collect(ports, { dryRun: false })).pruned).toBe(1);
  expect(await ports.store.findDeployment(id)).toBeUndefined();
});

test("removes files that a killed upload left without a row", async () => {
  const { home, ports, isThere } = all;
  const orphan = sha("orphan");
  mkdirSync(join(home, "blobs", orphan.slice(0, 2)), { recursive: true });
  writeFileSync(join(home, "blobs", orphan.slice(0, 2), orphan), "orphan");
  await collect(ports, { dryRun: false });
  expect(await isThere("orphan")).toBe(false);
});
