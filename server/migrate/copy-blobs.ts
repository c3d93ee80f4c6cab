import { createReadStream } from "node:fs";
import { AppError, errorText } from "../../core/errors.ts";
import type { BlobName, BlobStore } from "../blobs/blobs.ts";
import type { Database } from "../../db/database.ts";
import type { Postgres } from "../../db/postgres/postgres.ts";

const PAGE = 200;
const AT_ONCE = 4;

const readNames = (source: Database, after: string): BlobName[] =>
  source.all<BlobName>("SELECT sha256, size FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT ?", [
    after,
    PAGE,
  ]);

type Ports = {
  source: Database;
  target: Postgres;
  from: Pick<BlobStore, "locate">;
  put: BlobStore["put"];
};

const copyOne = async ({ from, put }: Ports, name: BlobName): Promise<void> => {
  try {
    const { path } = await from.locate(name.sha256);
    // Its digest is computed while it passes: a damaged file is told, never copied.
    await put(name, createReadStream(path), async () => {});
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") throw error;
    throw new AppError(
      "bad-data",
      `The file of blob ${name.sha256} in the folder is missing or damaged (${errorText(error)}); restore it from a backup, or delete the deployments that need it, and run this again`,
      { cause: error },
    );
  }
};

const findThere = async (target: Postgres, names: readonly BlobName[]): Promise<Set<string>> => {
  const rows = await target.all<{ sha256: string }>("SELECT sha256 FROM blob_bodies WHERE sha256 = ANY($1)", [
    names.map(({ sha256 }) => sha256),
  ]);
  return new Set(rows.map(({ sha256 }) => sha256));
};

/** Copies the bytes that are recorded and not there yet, some files at once. */
export const copyBlobs = async (ports: Ports, onBlob: (blob: BlobName) => void): Promise<void> => {
  // What a run that was killed left half-way; nobody else uses this database.
  await ports.target.run("DELETE FROM blob_bodies WHERE sha256 IS NULL");
  for (let names = readNames(ports.source, ""); names.length > 0;) {
    const there = await findThere(ports.target, names);
    const queue = names.values();
    const work = async (): Promise<void> => {
      for (const name of queue) {
        if (!there.has(name.sha256)) await copyOne(ports, name);
        onBlob(name);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    names = readNames(ports.source, names.at(-1)?.sha256 ?? "");
  }
};
