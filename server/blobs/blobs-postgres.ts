import { AppError } from "../../core/errors.ts";
import type { BlobFiles } from "./blob-files.ts";
import { type BlobName, type BlobStep, type BlobStore, checkBlobName, checkVariantName } from "./blobs.ts";
import { isUniqueViolation } from "../../db/postgres/failure.ts";
import type { Postgres } from "../../db/postgres/postgres.ts";
import { inParts, verified } from "./verified-body.ts";

/** Bytes in one row, about: a file never is in memory whole, and a small one is one row. */
const PART_BYTES = 512 * 1024;
const LIST_ROWS = 1000;

/**
 * Long enough to record a blob after its bytes are placed, by the database's clock. Holders are counted, and
 * those whose time is over (their server died) count no more.
 */
const HOLD = `held_until = clock_timestamp() + interval '1 minute',
  holders = CASE WHEN b.held_until > clock_timestamp() THEN b.holders + 1 ELSE 1 END`;
const LET_GO = `holders = holders - 1, held_until = CASE WHEN holders > 1 THEN held_until END`;
const LEFT_OVER = "interval '1 day'";

export type PostgresBlobs = BlobStore & {
  /** Removes what uploads left whose server died; what is younger than a day may be under way. Returns how many. */
  sweep: () => Promise<number>;
};

// Parts need not reach the disk one by one: the commit that gives the blob its name waits for all of them.
const INSERT_PART =
  "INSERT INTO blob_parts (body, at, bytes) SELECT $1::bigint, $2::bigint, $3::bytea WHERE set_config('synchronous_commit', 'off', true) = 'off'";

/** A blob of one part: body and bytes in one statement, or a hold on the body that is there already. */
const PLACE_SMALL = `
WITH placed AS (
  INSERT INTO blob_bodies AS b (sha256, size, held_until, holders)
  VALUES ($1, $2::bigint, clock_timestamp() + interval '1 minute', 1)
  ON CONFLICT (sha256) DO UPDATE SET ${HOLD}
  RETURNING id
)
INSERT INTO blob_parts (body, at, bytes) SELECT id, 0, $3::bytea FROM placed WHERE $2::bigint > 0
ON CONFLICT (body, at) DO NOTHING`;

const gone = (sha256: string): AppError => new AppError("not-found", `no blob ${sha256}`);

const uploadGone = (): AppError =>
  new AppError("unavailable", "The upload took too long and was given up; send it again", {
    details: { retryAfterSeconds: 1 },
  });

const createUploads = (db: Postgres, onStep: (step: BlobStep) => void) => {
  const begin = async (size: number): Promise<number> => {
    const row = await db.get<{ id: number }>("INSERT INTO blob_bodies (size) VALUES ($1) RETURNING id", [
      size,
    ]);
    if (!row) throw uploadGone();
    return row.id;
  };

  /** Gives the uploaded body its name, or holds the one that has it already and drops this one. */
  const placeUploaded = async (sha256: string, body: number): Promise<void> => {
    for (;;)
      try {
        return await db.transaction(async (tx) => {
          const known = await tx.run(`UPDATE blob_bodies b SET ${HOLD} WHERE sha256 = $1`, [sha256]);
          const sql =
            known > 0
              ? "DELETE FROM blob_bodies WHERE id = $1 AND sha256 IS NULL"
              : `UPDATE blob_bodies b SET sha256 = $2, ${HOLD} WHERE id = $1`;
          const changed = await tx.run(sql, known > 0 ? [body] : [body, sha256]);
          if (known === 0 && changed === 0) throw uploadGone();
        });
      } catch (error) {
        // Somebody else gave another body this name between our two statements: theirs is as good.
        if (!isUniqueViolation(error)) throw error;
      }
  };

  /** Streams a body into the database, where it is held. */
  return async ({ sha256, size }: BlobName, body: AsyncIterable<Uint8Array>): Promise<void> => {
    let first: Uint8Array = new Uint8Array();
    let upload: number | undefined;
    let at = 0;
    try {
      for await (const part of inParts(verified({ sha256, size }, body), PART_BYTES)) {
        if (at === 0) first = part;
        else {
          if (upload === undefined) {
            upload = await begin(size);
            await db.run(INSERT_PART, [upload, 0, first]);
            first = new Uint8Array();
          }
          await db.run(INSERT_PART, [upload, at, part]);
        }
        at += part.byteLength;
      }
      onStep("blob-written");
      if (upload !== undefined) return await placeUploaded(sha256, upload);
    } catch (error) {
      // What cannot be removed now is swept later; the failure itself is what the caller has to know.
      if (upload !== undefined)
        await db.run("DELETE FROM blob_bodies WHERE id = $1 AND sha256 IS NULL", [upload]).catch(() => {});
      throw error;
    }
    await db.run(PLACE_SMALL, [sha256, size, first]);
  };
};

/** Reads a blob from a place in it to its end, row by row. */
const readParts = async function* (
  db: Postgres,
  sha256: string,
  { from, size }: { from: number; size: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = from; at < size;) {
    const row = await db.get<{ bytes: Uint8Array<ArrayBuffer> }>(
      "SELECT p.bytes FROM blob_parts p JOIN blob_bodies b ON b.id = p.body WHERE b.sha256 = $1 AND p.at = $2",
      [sha256, at],
    );
    if (!row) throw gone(sha256);
    yield row.bytes;
    at += row.bytes.byteLength;
  }
};

const createReads = (db: Postgres, files: BlobFiles) => {
  const getSize = async (sha256: string): Promise<number> => {
    checkBlobName(sha256);
    const row = await db.get<{ size: number }>("SELECT size FROM blob_bodies WHERE sha256 = $1", [sha256]);
    if (!row) throw gone(sha256);
    return row.size;
  };
  return {
    read: async (sha256) => {
      checkBlobName(sha256);
      const row = await db.get<{ size: number; bytes: Uint8Array<ArrayBuffer> | null }>(
        "SELECT b.size, p.bytes FROM blob_bodies b LEFT JOIN blob_parts p ON p.body = b.id AND p.at = 0 WHERE b.sha256 = $1",
        [sha256],
      );
      if (!row) throw gone(sha256);
      const first = row.bytes ?? new Uint8Array();
      if (first.byteLength === row.size) return first;
      const whole = new Uint8Array(row.size);
      whole.set(first);
      let at = first.byteLength;
      for await (const part of readParts(db, sha256, { from: at, size: row.size })) {
        whole.set(part, at);
        at += part.byteLength;
      }
      return whole;
    },
    locate: async (sha256) => {
      const size = await getSize(sha256);
      return { path: await files.get(sha256, size, () => readParts(db, sha256, { from: 0, size })), size };
    },
    list: async function* () {
      for (let after = ""; ;) {
        const rows = await db.all<{ sha256: string }>(
          "SELECT sha256 FROM blob_bodies WHERE sha256 > $1 ORDER BY sha256 LIMIT $2",
          [after, LIST_ROWS],
        );
        for (const { sha256 } of rows) yield sha256;
        const last = rows.at(-1);
        if (!last || rows.length < LIST_ROWS) return;
        after = last.sha256;
      }
    },
    readVariant: async (sha256, encoding) => {
      checkVariantName(sha256, encoding);
      const row = await db.get<{ bytes: Uint8Array<ArrayBuffer> }>(
        "SELECT bytes FROM blob_variants WHERE sha256 = $1 AND encoding = $2",
        [sha256, encoding],
      );
      return row?.bytes;
    },
    hasVariant: async (sha256, encoding) => {
      checkVariantName(sha256, encoding);
      const sql = "SELECT 1 FROM blob_variants WHERE sha256 = $1 AND encoding = $2";
      return (await db.get(sql, [sha256, encoding])) !== undefined;
    },
  } satisfies Partial<BlobStore>;
};

/** Stores a body and holds it until it is recorded. */
export const createPostgresPut = (
  db: Postgres,
  onStep: (step: BlobStep) => void = () => {},
): BlobStore["put"] => {
  const upload = createUploads(db, onStep);
  return async (expected, body, record) => {
    checkBlobName(expected.sha256);
    await upload(expected, body);
    onStep("blob-durable");
    await record();
    await db.run(
      `UPDATE blob_bodies SET ${LET_GO} WHERE sha256 = $1 AND holders > 0 AND set_config('synchronous_commit', 'off', true) = 'off'`,
      [expected.sha256],
    );
  };
};

/**
 * Blobs in a PostgreSQL that any number of servers share; large ones are sent from `files`. A body has its
 * rows of bytes under a number of its own, and gets its name when all of them are there. Between that moment
 * and the row in `blobs` that records it, a hold keeps every server's collection off it; a server that dies
 * in between holds nothing for longer than a minute.
 */
export const createPostgresBlobs = (
  db: Postgres,
  files: BlobFiles,
  { onStep = () => {} }: { onStep?: ((step: BlobStep) => void) | undefined } = {},
): PostgresBlobs => ({
  ...createReads(db, files),
  put: createPostgresPut(db, onStep),
  remove: (sha256, confirm) => {
    checkBlobName(sha256);
    return db.transaction(async (tx) => {
      const body = await tx.get<{ is_held: boolean }>(
        "SELECT coalesce(held_until > clock_timestamp(), false) AS is_held FROM blob_bodies WHERE sha256 = $1 FOR UPDATE",
        [sha256],
      );
      // Without a body there is no row to ask about either; one that comes meanwhile is somebody's upload.
      if (!body || body.is_held || !(await confirm())) return false;
      const sql =
        "DELETE FROM blob_bodies b WHERE sha256 = $1 AND NOT EXISTS (SELECT 1 FROM blobs WHERE sha256 = b.sha256)";
      return (await tx.run(sql, [sha256])) > 0;
    });
  },
  writeVariant: async (sha256, encoding, bytes) => {
    checkVariantName(sha256, encoding);
    await db.run(
      "INSERT INTO blob_variants (sha256, encoding, bytes) SELECT sha256, $2::text, $3::bytea FROM blob_bodies WHERE sha256 = $1 ON CONFLICT (sha256, encoding) DO UPDATE SET bytes = EXCLUDED.bytes",
      [sha256, encoding, bytes],
    );
  },
  sweep: () =>
    db.run(`DELETE FROM blob_bodies WHERE sha256 IS NULL AND started_at < clock_timestamp() - ${LEFT_OVER}`),
});
