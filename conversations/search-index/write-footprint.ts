import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { temporaryBeside } from "../../core/durable-file.ts";
import { FIELDS, HIGH, type Look, MISSING, NOT_LISTED, secondsOf } from "../../core/looks.ts";
import { MANIFEST_VERSION } from "./file-head.ts";
import { FOOTPRINT_NAME, type FootprintJson, HEADER_INTS, headerSum, MAGIC, ROW_INTS } from "./footprint.ts";
import { headAt, type StoredManifest } from "./manifest.ts";
import { createPresence } from "./presence.ts";

/** What a listing of all conversations looked at, and when. */
export type Seen = {
  looks: readonly Look[];
  env: Record<string, string | null>;
  home: string;
  atMs: number;
};

/**
 * A folder whose date is so young may change again without its date: file systems count in ticks. Then
 * there is no footprint yet, and the next search lists again.
 */
const SETTLED_MS = 3_000;

const isSettled = ({ looks, atMs }: Seen): boolean =>
  looks.every(({ isFolder, stat }) => !isFolder || !stat || stat.mtimeMs < atMs - SETTLED_MS);

type Names = { add: (name: string) => number; bytes: () => Buffer };

const createNames = (): Names => {
  const known = new Map<string, number>();
  const pieces: Buffer[] = [];
  let length = 0;
  return {
    add: (name) => {
      const before = known.get(name);
      if (before !== undefined) return before;
      const piece = Buffer.from(`${name}\0`);
      const at = length;
      known.set(name, at);
      pieces.push(piece);
      length += piece.length;
      return at;
    },
    bytes: () => Buffer.concat(pieces),
  };
};

type Group = { folder: Look | undefined; files: Map<string, Look> };

/** The first look counts: what changed while the listing went on shows in the next comparison. */
const byFolder = (looks: readonly Look[]): Map<string, Group> => {
  const groups = new Map<string, Group>();
  for (const look of looks) {
    const path = look.isFolder ? look.path : dirname(look.path);
    const group = groups.get(path) ?? { folder: undefined, files: new Map() };
    groups.set(path, group);
    const name = basename(look.path);
    if (look.isFolder) group.folder ??= look;
    else if (!group.files.has(name)) group.files.set(name, look);
  }
  return groups;
};

const folderDate = (folder: Look | undefined): [number, number] => {
  if (!folder) return [0, NOT_LISTED];
  return folder.stat ? secondsOf(folder.stat.mtimeMs) : [0, MISSING];
};

const packLooks = (looks: readonly Look[], names: Names): { folders: number[]; files: number[] } => {
  const folders: number[] = [];
  const files: number[] = [];
  for (const [path, group] of byFolder(looks)) {
    const first = files.length / FIELDS;
    for (const [name, { stat }] of group.files) {
      const size = stat?.sizeBytes ?? 0;
      const date = stat ? secondsOf(stat.mtimeMs) : [0, MISSING];
      files.push(names.add(name), size | 0, Math.trunc(size / HIGH), ...date);
    }
    folders.push(names.add(path), ...folderDate(group.folder), first, files.length / FIELDS);
  }
  return { folders, files };
};

const packRows = (folder: string, stored: StoredManifest): { table: number[]; lines: Buffer } => {
  const details = readFileSync(join(folder, stored.detailsName));
  const rows = [...stored.numbers.keys()].sort((a, b) => (stored.numbers[a] ?? 0) - (stored.numbers[b] ?? 0));
  const table: number[] = [];
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const row of rows) {
    const from = stored.offsets[row] ?? 0;
    const own = details.toString("utf8", from, from + (stored.lengths[row] ?? 0));
    const head = JSON.stringify(headAt(stored, row));
    const line = Buffer.from(`${head.slice(0, -1)},"details":${own}}\n`);
    table.push(stored.numbers[row] ?? 0, offset, line.length);
    pieces.push(line);
    offset += line.length;
  }
  return { table, lines: Buffer.concat(pieces) };
};

const encode = (folder: string, stored: StoredManifest, { looks, env, home }: Seen): Buffer => {
  const names = createNames();
  const packed = packLooks(looks, names);
  const { table, lines } = packRows(folder, stored);
  const presence = createPresence();
  const segments = stored.segments
    .map((name) => ({ name, newestSeconds: presence.add(join(folder, name)) }))
    .sort((a, b) => b.newestSeconds - a.newestSeconds);
  const json = Buffer.from(JSON.stringify({ home, env, segments } satisfies FootprintJson));
  const nameBytes = names.bytes();
  const head = Int32Array.of(
    MAGIC,
    MANIFEST_VERSION,
    packed.folders.length / FIELDS,
    packed.files.length / FIELDS,
    table.length / ROW_INTS,
    nameBytes.length,
    json.length,
    lines.length,
    presence.bytes.length,
    0,
  );
  head[HEADER_INTS - 1] = headerSum(head);
  const numbers = [
    head,
    Int32Array.from(packed.folders),
    Int32Array.from(packed.files),
    Int32Array.from(table),
  ];
  return Buffer.concat([
    ...numbers.map((each) => Buffer.from(each.buffer)),
    nameBytes,
    json,
    lines,
    presence.bytes,
  ]);
};

export const removeFootprint = (folder: string): void =>
  rmSync(join(folder, FOOTPRINT_NAME), { force: true });

/**
 * Writes the footprint of an index that agrees with what was seen; or takes an older one away when what was
 * seen is too young to be relied on. Whoever reads it compares everything, so it needs no lock.
 */
export const writeFootprint = (folder: string, stored: StoredManifest, seen: Seen): void => {
  if (!isSettled(seen)) return removeFootprint(folder);
  const path = join(folder, FOOTPRINT_NAME);
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, encode(folder, stored, seen), { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    // No room, or a folder closed to us: the next search is slower, and no less right.
    rmSync(temporary, { force: true });
  }
};
