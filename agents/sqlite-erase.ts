import { existsSync, readFileSync } from "node:fs";
import { AppError } from "../core/errors.ts";
import { withDatabase } from "./sqlite.ts";
import { runBatch } from "./sqlite-write.ts";
import type { Statement } from "./store.ts";

/** How long to wait for a reader before saying so. */
const PATIENCE = "PRAGMA busy_timeout=1000";
const CHECKPOINT = "PRAGMA wal_checkpoint(TRUNCATE)";
const FULL_TEXT = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'";
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The log is emptied only when nobody reads from it; the first value of the answer says whether somebody did. */
const isBusy = ([busy]: readonly unknown[]): boolean => Number(busy) === 1;

/**
 * Pages that are free already may hold what was deleted before: they are taken into use, as zeros, and given
 * back. Unlike VACUUM this leaves every row its number, by which a full-text index knows it.
 */
const OVERWRITE_FREE_PAGES: readonly string[] = [
  "CREATE TABLE nightshift_wipe (bytes)",
  `INSERT INTO nightshift_wipe SELECT zeroblob(min(900000000,
    (SELECT freelist_count FROM pragma_freelist_count) * (SELECT page_size FROM pragma_page_size)))`,
  "DROP TABLE nightshift_wipe",
];

/** Longest piece that is looked for: a text lies in pages, and what spans two of them is not found whole. */
const PIECE_CHARS = 60;

const pieces = (text: string): string[] => {
  const escaped = JSON.stringify(text).slice(1, -1);
  const middle = Math.max(0, Math.trunc((escaped.length - PIECE_CHARS) / 2));
  return [...new Set([0, middle, escaped.length - PIECE_CHARS])]
    .map((from) => escaped.slice(Math.max(0, from), Math.max(0, from) + PIECE_CHARS))
    .filter((piece) => piece.length >= 8);
};

/** Those of the files that hold any of these texts still, as JSON writes them. */
export const findRemains = (files: readonly string[], texts: readonly string[]): string[] =>
  files
    .filter((file) => existsSync(file))
    .filter((file) => {
      const bytes = readFileSync(file);
      return texts.flatMap(pieces).some((piece) => bytes.includes(piece));
    });

/**
 * Runs statements so that the bytes of what they remove are gone from the file and from its log: freed cells
 * and pages are overwritten, full-text indexes merged, the log emptied; then the files are searched.
 * @returns what is left, in words; empty when nothing is
 * @throws AppError `locked`, with nothing changed, while another connection reads from the log
 */
export const eraseRows = async (
  path: string,
  { statements, texts }: { statements: readonly Statement[]; texts: readonly string[] },
): Promise<string[]> => {
  if (isBusy(await runBatch(path, { before: [PATIENCE], statements: [], query: CHECKPOINT })))
    throw new AppError(
      "locked",
      `another program is reading ${path}: its log cannot be emptied, and would keep the text; nothing was changed, end that program or try again`,
    );
  const indexes = await withDatabase(path, (database) =>
    database.all(FULL_TEXT).map(({ name }) => quoted(String(name))),
  );
  const merge = indexes.map((name): Statement => ({
    sql: `INSERT INTO ${name} (${name}) VALUES ('optimize')`,
    values: [],
  }));
  const answer = await runBatch(path, {
    before: ["PRAGMA secure_delete=ON"],
    statements: [...statements, ...merge],
    after: indexes.length > 0 ? OVERWRITE_FREE_PAGES : ["VACUUM"],
    query: CHECKPOINT,
  });
  if (isBusy(answer))
    return [
      `${path}-wal: another program began to read meanwhile and keeps the log, which holds the text until that program ends; then run: sqlite3 ${path} '${CHECKPOINT}'`,
    ];
  return findRemains([path, `${path}-wal`, `${path}-journal`], texts).map(
    (file) => `${file}: the text is there still; another message or table holds a copy of it`,
  );
};
