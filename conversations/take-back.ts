import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync } from "node:fs";
import { writeFailure } from "../core/durable-file.ts";
import { AppError } from "../core/errors.ts";
import type { JournalWrite } from "./journal.ts";
import { replaceFile, sha256, unpack } from "./write-edit.ts";

type Append = Extract<JournalWrite, { kind: "append" }>;
type Files = Extract<JournalWrite, { kind: "files" }>;

const truncate = (path: string, size: number): void => {
  try {
    const handle = openSync(path, "r+");
    try {
      ftruncateSync(handle, size);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw writeFailure(path, error);
  }
};

/** Whether lines of ours stand where they were appended, whole. */
export const holdsOurs = (bytes: Buffer, { sizeBefore, content }: Append): boolean => {
  const ours = Buffer.from(content);
  return bytes.subarray(sizeBefore, sizeBefore + ours.length).equals(ours);
};

/**
 * Cuts our lines off while nothing follows them (a torn write of ours counts as ours).
 * @returns whether the file is what it was before
 */
export const cutOff = (write: Append): boolean => {
  const tail = readFileSync(write.path).subarray(write.sizeBefore);
  if (tail.length === 0) return true;
  if (!Buffer.from(write.content).subarray(0, tail.length).equals(tail)) return false;
  truncate(write.path, write.sizeBefore);
  return true;
};

type Change = Files["changes"][number];

const isOurs = ({ path, sha256After }: Change): boolean =>
  existsSync(path) ? sha256(readFileSync(path)) === sha256After : sha256After === null;
const isOld = ({ path, before }: Change): boolean =>
  existsSync(path) ? before !== null && readFileSync(path).equals(unpack(before)) : before === null;

/**
 * Puts files back as they were, unless somebody else has changed them since.
 * @returns false: a copy of ours was worked in, and is kept; the original was never touched
 * @throws AppError `conflict` when putting them back would lose what came since
 */
export const putFilesBack = ({ changes }: Files): boolean => {
  const changed = changes.filter((change) => !isOurs(change) && !isOld(change));
  if (changed.length > 0) {
    if (changed.every(({ before }) => before === null)) return false;
    const names = changed.map(({ path }) => path).join(", ");
    throw new AppError("conflict", `${names} changed since; undoing would lose that`);
  }
  for (const { path, before } of changes)
    if (before === null) rmSync(path, { force: true });
    else replaceFile(path, unpack(before));
  return true;
};

/** Takes back whatever a write that failed has left; false when that fails too. Rows are written all or none. */
export const isTakenBack = (write: JournalWrite): boolean => {
  try {
    if (write.kind === "append") cutOff(write);
    if (write.kind === "files") putFilesBack(write);
    return true;
  } catch {
    return false;
  }
};
