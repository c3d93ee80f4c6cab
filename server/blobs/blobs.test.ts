import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { DATABASES } from "../fixtures/test-server.ts";
import { type TestStores, useStores } from "../fixtures/use-stores.ts";
import { openDiskBlobs } from "./blobs-disk.ts";
import type { BlobStore } from "./blobs.ts";

const nameOf = (content: string) => ({
  sha256: createHash("sha256").update(content).digest("hex"),
  size: Buffer.byteLength(content),
});
const bodyOf = async function* (...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
};
const noRecord = async () => {};

const listAll = async (blobs: BlobStore): Promise<string[]> => {
  const listed: string[] = [];
  for await (const sha256 of blobs.list()) listed.push(sha256);
  return listed;
};

describe.each(DATABASES)("blobs of %s", (database) => {
  const lab = useStores(database);
  const it = test.skipIf(lab.isMissing);
  let opened: TestStores;
  let blobs: BlobStore;
  beforeEach(async () => {
    if (lab.isMissing) return;
    opened = await lab.open();
    blobs = opened.stores.blobs;
  });
  /** What uploads that failed have left. */
  const leftOvers = async (): Promise<unknown[]> =>
    opened.url === undefined
      ? readdirSync(join(opened.home, "blobs/tmp"))
      : (lab.postgres?.server().query(opened.url, "SELECT id FROM blob_bodies WHERE sha256 IS NULL") ?? []);

  it("keeps bytes under their digest, whatever the chunks they came in", async () => {
    const name = nameOf("hello");
    await blobs.put(name, bodyOf("he", "", "llo"), noRecord);
    expect(Buffer.from(await blobs.read(name.sha256)).toString()).toBe("hello");
    expect(readFileSync((await blobs.locate(name.sha256)).path, "utf8")).toBe("hello");
    expect(await listAll(blobs)).toEqual([name.sha256]);
  });

  it.each([
    ["longer", bodyOf("hello!")],
    ["shorter", bodyOf("hell")],
    ["other", bodyOf("jello")],
  ])("keeps nothing of a body that is %s than it should be", async (_what, body) => {
    let recorded = false;
    await expect(
      blobs.put(nameOf("hello"), body, async () => {
        recorded = true;
      }),
    ).rejects.toThrow("does not match its manifest");
    expect(recorded).toBe(false);
    expect([await listAll(blobs), await leftOvers()]).toEqual([[], []]);
  });

  it("stops reading an endless body at its first byte too many", async () => {
    let chunks = 0;
    const endless = async function* () {
      for (;;) {
        chunks += 1;
        yield Buffer.alloc(1024);
      }
    };
    await expect(blobs.put({ sha256: "0".repeat(64), size: 4096 }, endless(), noRecord)).rejects.toThrow(
      "longer",
    );
    expect(chunks).toBe(5);
  });

  it("keeps nothing of an upload that breaks off, and names a full disk of its own as such", async () => {
    const broken = async function* () {
      yield Buffer.from("he");
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    };
    await expect(blobs.put(nameOf("hello"), broken(), noRecord)).rejects.toMatchObject({
      code: database === "SQLite" ? "storage-full" : "ENOSPC",
    });
    expect(await leftOvers()).toEqual([]);
  });

  it("never removes what is being recorded: a removal waits and is asked again", async () => {
    const name = nameOf("hello");
    const rows = new Set<string>();
    await blobs.put(name, bodyOf("hello"), noRecord);
    const stored = blobs.put(name, bodyOf("hello"), async () => {
      rows.add(name.sha256);
    });
    await stored;
    const removed = await blobs.remove(name.sha256, async () => !rows.has(name.sha256));
    expect(removed).toBe(false);
    expect(Buffer.from(await blobs.read(name.sha256)).toString()).toBe("hello");
  });

  it("stores and removes one blob many times at once without losing a recorded one", async () => {
    const name = nameOf("contended");
    let recorded = 0;
    const work = Array.from({ length: 60 }, (_, index) =>
      index % 3 === 0
        ? blobs.remove(name.sha256, async () => recorded === 0)
        : blobs.put(name, bodyOf("contended"), async () => {
            recorded += 1;
            // Recorded means: the bytes are there at this very moment.
            expect(Buffer.from(await blobs.read(name.sha256)).toString()).toBe("contended");
          }),
    );
    await Promise.all(work);
    expect(recorded).toBe(40);
    expect(Buffer.from(await blobs.read(name.sha256)).toString()).toBe("contended");
  });

  it("removes packed forms with their blob", async () => {
    const name = nameOf("hello");
    await blobs.put(name, bodyOf("hello"), noRecord);
    await blobs.writeVariant(name.sha256, "br", Buffer.from("packed"));
    expect(Buffer.from((await blobs.readVariant(name.sha256, "br")) ?? []).toString()).toBe("packed");
    expect(await blobs.hasVariant(name.sha256, "br")).toBe(true);
    await blobs.remove(name.sha256, async () => true);
    expect(await blobs.readVariant(name.sha256, "br")).toBeUndefined();
    expect(await blobs.hasVariant(name.sha256, "br")).toBe(false);
    await expect(blobs.read(name.sha256)).rejects.toMatchObject({ code: "not-found" });
  });

  it.each(["../../etc/passwd", "ABC", "", "0".repeat(63), `${"0".repeat(64)}/x`])(
    "refuses the name %j",
    async (sha256) => {
      await expect(blobs.read(sha256)).rejects.toMatchObject({ code: "bad-data" });
      await expect(blobs.writeVariant(sha256, "br", new Uint8Array())).rejects.toMatchObject({
        code: "bad-data",
      });
    },
  );

  it("keeps a file of many parts, an empty one and one that two send at once", async () => {
    const large = Buffer.from(
      Array.from({ length: 3 * 1024 * 1024 + 7 }, (_, index) => (index * 7919) % 251),
    );
    const name = { sha256: createHash("sha256").update(large).digest("hex"), size: large.length };
    const slices = async function* () {
      for (let at = 0; at < large.length; at += 100_001) yield large.subarray(at, at + 100_001);
    };
    const other = await opened.another();
    await Promise.all([blobs, other.blobs, blobs].map((store) => store.put(name, slices(), noRecord)));
    expect(Buffer.from(await other.blobs.read(name.sha256)).equals(large)).toBe(true);
    expect(readFileSync((await other.blobs.locate(name.sha256)).path).equals(large)).toBe(true);
    const empty = nameOf("");
    await blobs.put(empty, bodyOf(), noRecord);
    expect([(await blobs.read(empty.sha256)).byteLength, await leftOvers()]).toEqual([0, []]);
    expect((await listAll(blobs)).sort()).toEqual([name.sha256, empty.sha256].sort());
  });

  it("keeps what two servers store and a third removes at the same time, whenever it was recorded", async () => {
    const { store } = opened.stores;
    const other = await opened.another();
    const name = nameOf("fought for");
    for (let round = 0; round < 60; round++) {
      const results = await Promise.allSettled([
        blobs.put(name, bodyOf("fought for"), () => store.recordBlob(name, round)),
        other.blobs.put(name, bodyOf("fought for"), () => other.store.recordBlob(name, round)),
        other.blobs.remove(name.sha256, () => other.store.forgetBlob(name.sha256, 1_000_000)),
      ]);
      expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
      const isRecorded = (await store.findMissing([name])).length === 0;
      const isThere = await blobs.read(name.sha256).then(
        () => true,
        () => false,
      );
      expect([round, isThere]).toEqual([round, isRecorded]);
    }
  });
});

test("sweeps the files that uploads of a killed server left", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-blobs-"));
  const blobs = openDiskBlobs(folder);
  writeFileSync(join(folder, "tmp/left-over"), "half");
  expect(await blobs.sweep()).toBe(1);
  expect(existsSync(join(folder, "tmp/left-over"))).toBe(false);
  rmSync(folder, { recursive: true, force: true });
});
