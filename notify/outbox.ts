import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { appendLines, removeQuietly, sweepTemporaries, writeFileDurably } from "../core/durable-file.ts";
import { systemCode } from "../core/errors.ts";
import { readFileIfThere } from "../core/read-file.ts";
import type { Notice } from "./notice.ts";

/** A notice on the disk, until every channel has it. */
export type Waiting = {
  file: string;
  notice: Notice;
  /** channels that have not sent it yet; undefined before anybody looked which ones there are */
  left?: readonly string[];
};

/** A message that a channel will not get. */
export type Undelivered = { at: string; channel: string; title: string; problem: string };

/** Where notices wait, one file each; `home` is the user's `~/.nightshift`. */
export const outboxFolder = (home: string): string => join(home, "notices");

const NAME = /^\d+-[\w-]+\.json$/;

const save = ({ file, notice, left }: Waiting): void =>
  writeFileDurably(file, JSON.stringify(left === undefined ? { notice } : { notice, left }), { mode: 0o600 });

/** @throws AppError when the disk takes nothing */
export const putNotice = (folder: string, notice: Notice): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `${String(Date.parse(notice.at)).padStart(15, "0")}-${notice.id}.json`;
  save({ file: join(folder, name), notice });
};

const parse = (text: string | undefined): Omit<Waiting, "file"> | undefined => {
  try {
    const value = JSON.parse(text ?? "null") as Omit<Waiting, "file"> | null;
    return typeof value?.notice?.title === "string" ? value : undefined;
  } catch {
    return undefined;
  }
};

/** What waits to be sent, the oldest first. */
export const listWaiting = (folder: string): Waiting[] => {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => NAME.test(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
  return names.toSorted().flatMap((name) => {
    const file = join(folder, name);
    const found = parse(readFileIfThere(file));
    if (found) return [{ file, ...found }];
    removeQuietly(file);
    return [];
  });
};

/** Keeps which channels a notice still waits for; one that waits for none is done with. */
export const keepLeft = (waiting: Waiting, left: readonly string[]): void => {
  if (left.length === 0) removeQuietly(waiting.file);
  else save({ ...waiting, left });
};

const undeliveredFile = (folder: string): string => join(folder, "undelivered.jsonl");

/** Writes down what was given up, so that `notify list` can tell. */
export const noteUndelivered = (folder: string, undelivered: Undelivered): void =>
  appendLines(undeliveredFile(folder), [JSON.stringify(undelivered)], { sync: true, mode: 0o600 });

export const listUndelivered = (folder: string): Undelivered[] =>
  (readFileIfThere(undeliveredFile(folder)) ?? "").split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as Undelivered];
    } catch {
      return []; // half a line, cut off by a full disk
    }
  });

/** Removes what a sender that was killed left half written. */
export const sweepOutbox = (folder: string): void => sweepTemporaries(folder);
