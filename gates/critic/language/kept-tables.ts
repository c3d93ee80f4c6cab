import { openTable, packTable } from "./word-table.ts";

/**
 * What never changes and takes long to make. A build makes it once and keeps it as one file of bytes; a process
 * that starts from that file reads the bytes where they lie, and makes nothing.
 */
type Make = () => Uint8Array;

const makers = new Map<string, Make>();
let kept: { file: Buffer; places: Record<string, [start: number, length: number]> } | undefined;

/** Every part begins at a multiple of this, so that numbers of four bytes can be read in place. */
const ALIGNMENT = 8;
const align = (at: number): number => Math.ceil(at / ALIGNMENT) * ALIGNMENT;

/** Declares a part under a name of its own; it is made, or read from the kept file, when it is first asked for. */
export const definePart = (name: string, make: Make): (() => Buffer) => {
  makers.set(name, make);
  let part: Buffer | undefined;
  return () => (part ??= readPart(name) ?? toBuffer(make()));
};

const toBuffer = (bytes: Uint8Array): Buffer => {
  // At a place of its own: small buffers share their memory, and lie where they may.
  const own = Buffer.from(new ArrayBuffer(bytes.length));
  own.set(bytes);
  return own;
};

const readPart = (name: string): Buffer | undefined => {
  const [start, length] = kept?.places[name] ?? [];
  return start === undefined || length === undefined ? undefined : kept?.file.subarray(start, start + length);
};

/** Declares a table of words: what it gives back finds the text that belongs to a word. */
export const defineTable = (
  name: string,
  make: () => Iterable<readonly [string, string]>,
): ((word: string) => string | undefined) => {
  const bytes = definePart(name, () => packTable(make()));
  let find: ((word: string) => string | undefined) | undefined;
  return (word) => (find ??= openTable(bytes()))(word);
};

/**
 * All that was declared, made, as one file: its header says where what lies.
 * @public called by build/critic-bundle.mjs
 */
export const keepTables = (): Buffer => {
  const parts = [...makers].map(([name, make]) => ({ name, bytes: make() }));
  let at = 0;
  const places = parts.map(({ name, bytes }) => {
    const start = at;
    at = align(at + bytes.length);
    return [name, [start, bytes.length]] as const;
  });
  const header = Buffer.from(`${JSON.stringify(Object.fromEntries(places))}\n`);
  const body = align(header.length);
  const file = Buffer.alloc(body + at);
  header.copy(file);
  for (const [i, { bytes }] of parts.entries()) file.set(bytes, body + (places[i]?.[1][0] ?? 0));
  return file;
};

/**
 * Starts from a file that a build kept.
 * @public called by the bundle that build/critic-bundle.mjs makes
 */
export const useTables = (file: Buffer): void => {
  const end = file.indexOf(10);
  const places = JSON.parse(file.toString("latin1", 0, end)) as Record<string, [number, number]>;
  const body = align(end + 1);
  kept = {
    file: file.byteOffset % ALIGNMENT === 0 ? file.subarray(body) : toBuffer(file.subarray(body)),
    places,
  };
};
