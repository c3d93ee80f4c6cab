import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { DATABASES } from "../fixtures/test-server.ts";
import { useStores } from "../fixtures/use-stores.ts";
import { collect, expireOld } from "./collect.ts";
import { newDeploymentId } from "./deployment.ts";

const RULES = { keep: 1, pendingMs: 1000, graceMs: 500 };
const sha = (content: string) => createHash("sha256").update(content).digest("hex");

const openAll = async (lab: ReturnType<typeof useStores>) => {
  const clock = { at: 10_000 };
  const { stores, home, url } = await lab.open(() => clock.at);
  const ports = {
    store: stores.store,
    blobs: stores.blobs,
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
        ports.store.recordBlob({ sha256, size }, clock.at, site),
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
  return { home, url, clock, ports, publish, isThere };
};

describe.each(DATABASES)("collecting on %s", (database) => {
  const lab = useStores(database);
  const it = test.skipIf(lab.isMissing);
  let all: Awaited<ReturnType<typeof openAll>>;
  beforeEach(async () => {
    if (!lab.isMissing) all = await openAll(lab);
  });

  it("removes the bytes of expired deployments after the grace time, and only those nobody else needs", async () => {
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

  it("keeps bytes that a new deployment asks for while they wait to be removed", async () => {
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

  it("expires what nobody activated, and forgets it after a month", async () => {
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

  it("removes bytes that a killed upload left without a row", async () => {
    const { home, url, ports, isThere } = all;
    const orphan = sha("orphan");
    if (url === undefined) {
      mkdirSync(join(home, "blobs", orphan.slice(0, 2)), { recursive: true });
      writeFileSync(join(home, "blobs", orphan.slice(0, 2), orphan), "orphan");
    } else {
      const insert = (until: string) =>
        `INSERT INTO blob_bodies (sha256, size, held_until) VALUES ('${orphan}', 0, clock_timestamp() + interval '${until}')`;
      await lab.postgres?.server().query(url, insert("1 minute"));
      // Whoever placed it may be about to record it.
      await collect(ports, { dryRun: false });
      expect(await isThere("orphan")).toBe(true);
      await lab.postgres?.server().query(url, "UPDATE blob_bodies SET held_until = clock_timestamp()");
    }
    await collect(ports, { dryRun: false });
    expect(await isThere("orphan")).toBe(false);
  });

  it("servers that collect at the same time remove nothing that is needed", async () => {
    const { clock, ports, publish, isThere } = all;
    for (let n = 0; n < 6; n++) {
      await publish("a", [`build ${n}`, "kept"]);
      clock.at += 1;
    }
    clock.at += RULES.graceMs;
    await Promise.all([1, 2, 3].map(() => collect(ports, { dryRun: false })));
    const there = await Promise.all(["build 3", "build 4", "build 5", "kept"].map(isThere));
    expect(there).toEqual([false, true, true, true]);
  });
});
