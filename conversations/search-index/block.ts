import type { PartKind, Role } from "../../agents/store.ts";

/** A part of a message as the index keeps it: its whole text, and what a hit has to say about it. */
export type IndexedPart = {
  /** number of the entry within its conversation: looks its context state up */
  ordinal: number;
  atSeconds: number;
  role: Role;
  kind: PartKind;
  messageId: string;
  text: string;
};

const ROLES: readonly Role[] = ["user", "assistant", "tool", "system"];
const KINDS: readonly PartKind[] = ["text", "thinking", "tool-call", "tool-result", "image", "notice"];

const HEAD = 15; // ordinal 4, time 4, role 1, kind 1, id length 1, text length 4

/** What people said ranks before what tools were given and printed. */
export const isDialogue = ({ kind }: Pick<IndexedPart, "kind">): boolean => kind === "text";

/** More bytes than a part can take. */
export const mostBytesOf = ({ text }: IndexedPart): number => HEAD + 255 + text.length * 3;

/** Writes a part where there is room for the most it can take; returns where it ends. */
export const encodePart = (
  bytes: Buffer,
  start: number,
  { ordinal, atSeconds, role, kind, messageId, text }: IndexedPart,
): number => {
  const id = messageId.length > 80 ? Buffer.from(messageId).subarray(0, 255) : undefined;
  const idBytes = id ? id.copy(bytes, start + HEAD) : bytes.write(messageId, start + HEAD, "utf8");
  const from = start + HEAD + idBytes;
  const length = bytes.write(text, from, "utf8");
  bytes.writeUInt32LE(ordinal, start);
  bytes.writeUInt32LE(Math.max(0, Math.min(0xffffffff, Math.trunc(atSeconds))), start + 4);
  bytes[start + 8] = ROLES.indexOf(role);
  bytes[start + 9] = KINDS.indexOf(kind);
  bytes[start + 10] = idBytes;
  bytes.writeUInt32LE(length, start + 11);
  return from + length;
};

/** Where the text of a part lies in a block, for building the index without decoding it. */
export const textRange = (bytes: Buffer, at: number): { from: number; to: number } => {
  const from = at + HEAD + bytes.readUInt8(at + 10);
  return { from, to: from + bytes.readUInt32LE(at + 11) };
};

/** Parts of a block, decoded when they are asked for. */
export type Parts = {
  length: number;
  at: (index: number) => IndexedPart | undefined;
  /** the last part from `index` down that may hold what is looked for; -1: none */
  findBack: (index: number) => number;
};

/** The last place before `end` that may begin what is looked for; -1: none. */
export type FindPlace = (end: number) => number;

const placesOf = (bytes: Buffer): number[] | undefined => {
  const places: number[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + HEAD > bytes.length) return undefined;
    places.push(at);
    // `textRange` by hand: calls for a hundred short parts a block are what a search would wait for.
    const from = at + HEAD + (bytes[at + 10] as number);
    const low = (bytes[at + 11] as number) | ((bytes[at + 12] as number) << 8);
    at = from + low + ((bytes[at + 13] as number) << 16) + (bytes[at + 14] as number) * 0x1000000;
    if (at > bytes.length) return undefined;
  }
  return places;
};

const decodePart = (bytes: Buffer, at: number): IndexedPart | undefined => {
  const role = ROLES[bytes[at + 8] as number];
  const kind = KINDS[bytes[at + 9] as number];
  if (role === undefined || kind === undefined) return undefined;
  const { from, to } = textRange(bytes, at);
  return {
    ordinal: bytes.readUInt32LE(at),
    atSeconds: bytes.readUInt32LE(at + 4),
    role,
    kind,
    messageId: bytes.toString("utf8", at + HEAD, from),
    text: bytes.toString("utf8", from, to),
  };
};

/**
 * The parts of a block, for as long as its bytes are what they are; `at` throws what `damaged` makes where one is
 * none, and so does the whole when its lengths do not add up.
 */
export const decodeParts = (bytes: Buffer, findPlace: FindPlace, damaged: () => Error): Parts => {
  const places = placesOf(bytes);
  if (!places) throw damaged();
  return {
    length: places.length,
    at: (index) => {
      const place = places[index];
      if (place === undefined) return undefined;
      const part = decodePart(bytes, place);
      if (!part) throw damaged();
      return part;
    },
    findBack: (index) => {
      const found = findPlace(places[index + 1] ?? bytes.length);
      let at = index;
      while (at >= 0 && (places[at] as number) > found) at -= 1;
      return at;
    },
  };
};
