import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openDiskBlobs } from "./blobs-disk.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-blobs-"));
  return () => rmSync(folder, { recursive: true, force: true });
});

const nameOf = (content: string) => ({
  sha256: createHash("sha256").update(content).digest("hex"),
  size: Buffer.byteLength(content),
});
const bodyOf = async function* (...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
};
const noRecord = async () => {};

test("keeps bytes under their digest, whatever the chunks they came in", async () => {
  const blobs = openDiskBlobs(folder);
  const name = nameOf("hello");
  await blobs.put(name, bodyOf("he", "", "llo"), noRecord);
  expect(Buffer.from(await blobs.read(name.sha256)).toString()).toBe("hello");
  expect(await blobs.locate(name.sha256)).toEqual({
    path: join(folder, name.sha256.slice(0, 2), name.sha256),
  });
  const listed: string[] = [];
  for await (const sha256 of blobs.list()) listed.push(sha256);
  expect(listed).toEqual([name.sha256]);
});

test.each([
  ["longer", bodyOf("hello!")],
  ["shorter", bodyOf("hell")],
  ["other", bodyOf("jello")],
])("keeps nothing of a body that is %s than it should be", async (_what, body) => {
  const blobs = openDiskBlobs(folder);
  let recorded = false;
  await expect(
    blobs.put(nameOf("hello"), body, async () => {
      recorded = true;
    }),
  ).rejects.toThrow("does not match its manifest");
  expect(recorded).toBe(false);
  expect(readdirSync(folder).sort()).toEqual(["packed", "tmp"]);
  expect(readdirSync(join(folder, "tmp"))).toEqual([]);
});

test("stops reading an endless body at its first byte too many", async () => {
  const blobs = openDiskBlobs(folder);
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

test("keeps nothing of an upload that breaks off, and names a full disk as such", async () => {
  const blobs = openDiskBlobs(folder);
  const broken = async function* () {
    yield Buffer.from("he");
    throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  };
  await expect(blobs.put(nameOf("hello"), broken(), noRecord)).rejects.toMatchObject({
    code: "storage-full",
  });
  expect(readdirSync(join(folder, "tmp"))).toEqual([]);
});

test("never removes what is being recorded: a removal waits and is asked again", async () => {
  const blobs = openDiskBlobs(folder);
  const name = nameOf("hello");
  const rows = new Set<string>();
  await blobs.put(name, bodyOf("hello"), noRecord);
  const stored = blobs.put(name, bodyOf("hello"), async () => {
    rows.add(name.sha256);
  });
  await stored;
  const removed = await blobs.remove(name.sha256, async () => !rows.has(name.sha256));
  expect(removed).toBe(false);
  expect(readFileSync(join(folder, name.sha256.slice(0, 2), name.sha256), "utf8")).toBe("hello");
});

test("stores and removes one blob many times at once without losing a recorded one", async () => {
  const blobs = openDiskBlobs(folder);
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

test("removes packed forms with their blob, and sweeps what killed uploads left", async () => {
  const blobs = openDiskBlobs(folder);
  const name = nameOf("hello");
  await blobs.put(name, bodyOf("hello"), noRecord);
  await blobs.writeVariant(name.sha256, "br", Buffer.from("packed"));
  expect(Buffer.from((await blobs.readVariant(name.sha256, "br")) ?? []).toString()).toBe("packed");
  await blobs.remove(name.sha256, async () => true);
  expect(await blobs.readVariant(name.sha256, "br")).toBeUndefined();
  await expect(blobs.read(name.sha256)).rejects.toMatchObject({ code: "not-found" });
  writeFileSync(join(folder, "tmp/left-over"), "half");
  expect(await blobs.sweep()).toBe(1);
  expect(readdirSync(join(folder, "tmp"))).toEqual([]);
});

test.each(["../../etc/passwd", "ABC", "", "0".repeat(63), `${"0".repeat(64)}/x`])(
  "refuses the name %j",
  async (sha256) => {
    const blobs = openDiskBlobs(folder);
    await expect(blobs.read(sha256)).rejects.toMatchObject({ code: "bad-data" });
    await expect(blobs.writeVariant(sha256, "br", new Uint8Array())).rejects.toMatchObject({
      code: "bad-data",
    });
  },
);
