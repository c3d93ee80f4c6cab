import { FIELDS, type PackedLooks } from "../../core/looks.ts";
import { quickFiles } from "../../core/quick-files.ts";
import type { ConversationPorts } from "../ports.ts";
import type { Catalog } from "./catalog.ts";
import { type FileDetails, type FileHead, MANIFEST_VERSION, NO_DETAILS } from "./file-head.ts";
import { MOST_BITS } from "./segment-format.ts";
import { bucketsOf } from "./trigrams.ts";

/**
 * What a search needs when nothing has changed since the index was written, in one file: what the listing of
 * all conversations had looked at, the segments, and each conversation's line. Nearly every search ends up
 * here, so it is read as it lies, without a parser and without the code of the agents.
 * Header, folders, files, table of conversations, names, a little JSON, the conversations' lines, then a bit for every bucket:
 * whether any segment has it.
 */
export const FOOTPRINT_NAME = "footprint.bin";

export const MAGIC = 0x3246584e; // "NXF2"
export const HEADER_INTS = 10;
export const ROW_INTS = 3; // number, offset and length of its line

export type FootprintHeader = {
  version: number;
  folders: number;
  files: number;
  rows: number;
  namesBytes: number;
  jsonBytes: number;
  linesBytes: number;
  presenceBytes: number;
};

/** The rest of what has to be the same, and the segments with the times of their newest blocks. */
export type FootprintJson = {
  home: string;
  /** variables that the listing read */
  env: Record<string, string | null>;
  segments: { name: string; newestSeconds: number }[]; // newest first
};

export const sectionsOf = ({
  folders,
  files,
  rows,
  namesBytes,
  jsonBytes,
  linesBytes,
  presenceBytes,
}: FootprintHeader) => {
  const foldersAt = HEADER_INTS * 4;
  const filesAt = foldersAt + folders * FIELDS * 4;
  const rowsAt = filesAt + files * FIELDS * 4;
  const names = rowsAt + rows * ROW_INTS * 4;
  const json = names + namesBytes;
  const lines = json + jsonBytes;
  const presence = lines + linesBytes;
  return {
    folders: foldersAt,
    files: filesAt,
    rows: rowsAt,
    names,
    json,
    lines,
    presence,
    end: presence + presenceBytes,
  };
};

export const headerSum = (ints: Int32Array): number => {
  let sum = 17;
  for (let at = 0; at < HEADER_INTS - 1; at += 1) sum = (Math.imul(sum, 31) + (ints[at] as number)) | 0;
  return sum;
};

const ints = (bytes: Buffer, from: number, count: number): Int32Array =>
  new Int32Array(bytes.buffer, bytes.byteOffset + from, count);

const decodeHeader = (bytes: Buffer): FootprintHeader | undefined => {
  if (bytes.length < HEADER_INTS * 4) return undefined;
  const head = ints(bytes, 0, HEADER_INTS);
  if (head[0] !== MAGIC || head[1] !== MANIFEST_VERSION) return undefined;
  if (head[HEADER_INTS - 1] !== headerSum(head)) return undefined;
  return {
    version: MANIFEST_VERSION,
    folders: head[2] as number,
    files: head[3] as number,
    rows: head[4] as number,
    namesBytes: head[5] as number,
    jsonBytes: head[6] as number,
    linesBytes: head[7] as number,
    presenceBytes: head[8] as number,
  };
};

/** The index as the last search left it, and whether that is still how things are. */
export type Footprint = {
  segments: FootprintJson["segments"];
  catalog: Catalog;
  /** whether anything indexed may hold all these literals */
  mayHold: (literals: readonly string[]) => boolean;
  isSame: () => boolean;
  close: () => void;
};

type Line = FileHead & { details: FileDetails };

const catalogOf = (table: Int32Array, readLine: (offset: number, length: number) => string): Catalog => {
  const known = new Map<number, Line | undefined>();
  const find = (file: number): Line | undefined => {
    // Rows are in the order of their numbers.
    let low = 0;
    let high = table.length / ROW_INTS - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const row = middle * ROW_INTS;
      const number = table[row] as number;
      if (number === file)
        return JSON.parse(readLine(table[row + 1] as number, table[row + 2] as number)) as Line;
      if (number < file) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  };
  const lineOf = (file: number): Line | undefined => {
    if (!known.has(file)) known.set(file, find(file));
    return known.get(file);
  };
  return {
    conversations: table.length / ROW_INTS,
    head: lineOf,
    details: (file) => lineOf(file)?.details ?? NO_DETAILS,
  };
};

const isSameWorld = ({ home, env }: FootprintJson, ports: ConversationPorts): boolean => {
  if (home !== ports.home) return false;
  for (const name in env) if ((ports.env[name] ?? null) !== env[name]) return false;
  return true;
};

const decode = (handle: number, ports: ConversationPorts): Footprint | undefined => {
  const files = quickFiles();
  const header = decodeHeader(files.readShort(handle, HEADER_INTS * 4, 0));
  if (!header) return undefined;
  const at = sectionsOf(header);
  if (files.size(handle) !== at.end) return undefined;
  const bytes = files.read(handle, at.lines, 0);
  const json = JSON.parse(bytes.toString("utf8", at.json, at.lines)) as FootprintJson;
  if (!isSameWorld(json, ports)) return undefined;
  const looks: PackedLooks = {
    folders: ints(bytes, at.folders, header.folders * FIELDS),
    files: ints(bytes, at.files, header.files * FIELDS),
    names: bytes.subarray(at.names, at.json),
  };
  const readLine = (offset: number, length: number): string =>
    files.readShort(handle, length, at.lines + offset).toString("utf8");
  return {
    segments: json.segments,
    catalog: catalogOf(ints(bytes, at.rows, header.rows * ROW_INTS), readLine),
    mayHold: (literals) => {
      for (const bucket of bucketsOf(literals, MOST_BITS))
        if (
          ((files.readShort(handle, 1, at.presence + (bucket >> 3))[0] as number) & (1 << (bucket & 7))) ===
          0
        )
          return false;
      return true;
    },
    isSame: () => files.isSame(looks),
    close: () => files.close(handle),
  };
};

/** The footprint of an index folder; undefined where there is none of use. The caller closes it. */
export const openFootprint = (folder: string, ports: ConversationPorts): Footprint | undefined => {
  const files = quickFiles();
  let handle: number;
  try {
    handle = files.open(`${folder}/${FOOTPRINT_NAME}`);
  } catch {
    return undefined;
  }
  let footprint: Footprint | undefined;
  try {
    footprint = decode(handle, ports);
  } catch {
    // Damaged: it is written anew after the index was looked at the long way.
  }
  if (!footprint) files.close(handle);
  return footprint;
};
