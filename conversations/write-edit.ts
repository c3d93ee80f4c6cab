import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { runStatements } from "../agents/sqlite-write.ts";
import type { EditWrite } from "../agents/store.ts";
import { sweepTemporaries, writeFailure, writeFileDurably } from "../core/durable-file.ts";
import { AppError } from "../core/errors.ts";
import type { JournalWrite } from "./journal.ts";

export const sha256 = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

const packed = (path: string): string | null =>
  existsSync(path) ? gzipSync(readFileSync(path)).toString("base64") : null;

/** The bytes a file had before an edit. */
export const unpack = (before: string): Buffer => gunzipSync(Buffer.from(before, "base64"));

/** What the journal has to keep so that a write can be taken back. */
export const toJournalWrite = (write: EditWrite): JournalWrite => {
  if (write.kind === "append")
    return {
      kind: "append",
      path: write.path,
      sizeBefore: statSync(write.path).size,
      content: write.content,
    };
  if (write.kind === "rows") return { kind: "rows", path: write.path, undo: write.undo };
  return {
    kind: "files",
    changes: write.changes.map(({ path, content }) => ({
      path,
      before: packed(path),
      sha256After: content === undefined ? null : sha256(content),
    })),
  };
};

const appendAtEnd = (path: string, content: string, expectedSize: number): void => {
  try {
    const handle = openSync(path, "a");
    try {
      if (statSync(path).size !== expectedSize)
        throw new AppError(
          "locked",
          `${path} grew while it was being edited, so its agent is running; nothing was changed`,
        );
      const bytes = Buffer.from(content);
      for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw error instanceof AppError ? error : writeFailure(path, error);
  }
};

/** The mode a rewritten file keeps; a new one is for its owner alone. */
const modeOf = (path: string): { mode: number } => ({
  mode: existsSync(path) ? statSync(path).mode & 0o777 : 0o600,
});

const realTarget = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/** Replaces a file; where it is a link, what the link leads to. Halves of killed edits beside it go. */
export const replaceFile = (path: string, content: string | Uint8Array): void => {
  const target = realTarget(path);
  sweepTemporaries(dirname(target));
  writeFileDurably(target, content, modeOf(target));
};

/**
 * Writes an edit: an append in one write, files by rename, rows in one transaction.
 * @throws AppError `locked` when the transcript has changed since it was read
 */
export const writeEdit = async (
  write: EditWrite,
  read: { path: string; sizeBytes: number },
): Promise<void> => {
  if (write.kind === "append") return appendAtEnd(write.path, write.content, read.sizeBytes);
  if (write.kind === "rows") return runStatements(write.path, write.statements);
  for (const { path, content } of write.changes) {
    if (path === read.path && statSync(path).size !== read.sizeBytes)
      throw new AppError(
        "locked",
        `${path} changed while it was being edited; nothing was written, try again`,
      );
    if (content === undefined) rmSync(realTarget(path), { force: true });
    else replaceFile(path, content);
  }
};
