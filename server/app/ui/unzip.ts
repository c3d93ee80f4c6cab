import type { Limits } from "./api.ts";
import type { ChosenFile } from "./chosen-file.ts";
import { countText } from "./format.ts";

// APPNOTE.TXT 6.3: the list of files stands at the end, and a record behind it says where.
const END = { signature: 0x06054b50, bytes: 22, maxComment: 0xffff };
const LISTED = { signature: 0x02014b50, bytes: 46 };
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

type Entry = { path: string; method: number; packed: number; size: number; at: number };

const damaged = (name: string): Error =>
  new Error(`${name} is not a zip file that can be read here. Choose the folder.`);

const findEnd = (view: DataView): number | undefined => {
  const first = Math.max(0, view.byteLength - END.bytes - END.maxComment);
  for (let at = view.byteLength - END.bytes; at >= first; at--)
    if (view.getUint32(at, true) === END.signature) return at;
  return undefined;
};

/** The files that a zip lists; undefined for anything but a plain zip: encrypted, in parts, beyond 4 GiB, damaged. */
const listEntries = (view: DataView): Entry[] | undefined => {
  const end = findEnd(view);
  if (end === undefined) return undefined;
  const entries: Entry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + LISTED.bytes > end || view.getUint32(at, true) !== LISTED.signature) return undefined;
    const isEncrypted = (view.getUint16(at + 8, true) & 1) === 1;
    const method = view.getUint16(at + 10, true);
    if (isEncrypted || (method !== STORED && method !== DEFLATED)) return undefined;
    const nameBytes = view.getUint16(at + 28, true);
    const name = new Uint8Array(view.buffer, view.byteOffset + at + LISTED.bytes, nameBytes);
    entries.push({
      path: new TextDecoder().decode(name).replaceAll("\\", "/"),
      method,
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    });
    at += LISTED.bytes + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
};

const unpack = async (
  zip: File,
  view: DataView,
  { path, method, packed, size, at }: Entry,
): Promise<File> => {
  const start = at + LOCAL_BYTES + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const bytes = zip.slice(start, start + packed);
  const stream =
    method === STORED ? bytes.stream() : bytes.stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const blob = await new Response(stream).blob();
  if (blob.size !== size) throw damaged(zip.name);
  return new File([blob], path);
};

/** macOS puts what its Finder knows of each file beside them. */
const isOfFinder = (path: string): boolean => path.startsWith("__MACOSX/");

/** The files of a zip, for the page to publish like a folder's. @throws Error in words for people */
export const unzip = async (zip: File, limits: Limits): Promise<ChosenFile[]> => {
  const view = new DataView(await zip.arrayBuffer());
  const listed = listEntries(view);
  if (!listed) throw damaged(zip.name);
  const entries = listed.filter(({ path }) => !path.endsWith("/") && !isOfFinder(path));
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  // Said before it is unpacked: a small zip can hold far more than a browser does.
  if (total > limits.maxSiteBytes || entries.length > limits.maxFiles)
    throw new Error(
      `${zip.name} holds ${countText(entries.length, "file")} of ${Math.ceil(total / 1024 / 1024)} MiB; the limits are ${limits.maxFiles} files and ${limits.maxSiteBytes / 1024 / 1024} MiB.`,
    );
  const files: ChosenFile[] = [];
  try {
    for (const entry of entries) files.push({ path: entry.path, file: await unpack(zip, view, entry) });
  } catch {
    throw damaged(zip.name);
  }
  return files;
};
