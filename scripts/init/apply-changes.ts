import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFileDurably } from "../../core/durable-file.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { AppError } from "../../core/errors.ts";
import { ownFolder } from "../../core/own-folder.ts";
import type { Change } from "./plan-init.ts";

type Entry = {
  path: string;
  shown: string;
  before: string | null;
  after: string | null;
  /** how it could be used before */
  mode?: number;
  /** folders that had to be made for it, the outermost first */
  folders?: string[];
};

const JOURNAL = "init.json";
const hash = (text: string | undefined): string | null =>
  text === undefined ? null : createHash("sha256").update(text).digest("hex");
const journalPath = (root: string): string => join(root, ".nightshift", JOURNAL);

const readJournal = (root: string): Entry[] => {
  const text = readFileIfThere(journalPath(root));
  if (text === undefined) return [];
  try {
    return JSON.parse(text) as Entry[];
  } catch (error) {
    throw new AppError("bad-data", `${journalPath(root)} cannot be read, so init cannot be undone; use git`, {
      cause: error,
    });
  }
};

const missingFolders = (path: string): string[] => {
  const folder = dirname(path);
  return existsSync(folder) ? [] : [...missingFolders(folder), folder];
};

const removeIfEmpty = (folder: string): void => {
  try {
    rmdirSync(folder);
  } catch {
    // somebody keeps something in it
  }
};

/** `.nightshift/` goes with the last of what init made, where nothing else was put into it since. */
const removeOwnFolder = (root: string): void => {
  const folder = join(root, ".nightshift");
  if (!existsSync(folder) || readdirSync(folder).some((name) => name !== ".gitignore")) return;
  rmSync(folder, { recursive: true });
};

const write = ({ path, content, mode }: Pick<Change, "path" | "content" | "mode">): void => {
  if (content === undefined) rmSync(path, { force: true });
  else {
    writeFileDurably(path, content);
    if (mode !== undefined) chmodSync(path, mode);
  }
};

/** Writes the changes, the journal of them first: a run that is cut short can still be undone. */
export const applyChanges = (root: string, changes: readonly Change[]): void => {
  if (changes.length === 0) return;
  ownFolder(root);
  const journal = readJournal(root);
  for (const change of changes.filter(({ isShared }) => isShared !== true)) {
    const known = journal.find((entry) => entry.path === change.path);
    // What was there before the first init is what undo gives back.
    if (known) known.after = hash(change.content);
    else
      journal.push({
        path: change.path,
        shown: change.shown,
        before: change.before ?? null,
        after: hash(change.content),
        ...(change.before === undefined ? {} : { mode: statSync(change.path).mode & 0o777 }),
        folders: missingFolders(change.path),
      });
  }
  writeFileDurably(journalPath(root), JSON.stringify(journal));
  for (const change of changes) write(change);
};

export type Undone = { restored: string[]; kept: string[] };

/** Takes back what `init` wrote. A file that was changed since is kept and named. */
export const undoChanges = (root: string): Undone => {
  const journal = readJournal(root);
  if (journal.length === 0) throw new AppError("not-found", `nothing of init is on record in ${root}`);
  const undone: Undone = { restored: [], kept: [] };
  const left: Entry[] = [];
  for (const entry of journal) {
    const now = hash(readFileIfThere(entry.path));
    if (now === hash(entry.before ?? undefined)) continue; // init was cut short before it came to this one
    if (now !== entry.after) {
      undone.kept.push(entry.shown);
      left.push(entry);
      continue;
    }
    const mode = entry.mode === undefined ? {} : { mode: entry.mode };
    write({ path: entry.path, content: entry.before ?? undefined, ...mode });
    for (const folder of (entry.folders ?? []).toReversed()) removeIfEmpty(folder);
    undone.restored.push(entry.shown);
  }
  if (left.length > 0) writeFileDurably(journalPath(root), JSON.stringify(left));
  else {
    rmSync(journalPath(root), { force: true });
    removeOwnFolder(root);
  }
  return undone;
};
