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

/** Behind id and text, because a search reads a block from its end: ordinal 4, time 4, role 1, kind 1, id length 1, text length 4. */
const FOOT = 15;

/** What people said ranks before what tools were given and printed. */
export const isDialogue = ({ kind }: Pick<IndexedPart, "kind">): boolean => kind === "text";

/** More bytes than a part can take. */
export const mostBytesOf = ({ text }: IndexedPart): number => FOOT + 255 + text.length * 3;

/** Writes a part where there is room for the most it can take; returns where it ends. */
export const encodePart = (
  bytes: Buffer,
  start: number,
  { ordinal, atSeconds, role, kind, messageId, text }: IndexedPart,
): number => {
  const id = messageId.length > 80 ? Buffer.from(messageId).subarray(0, 255) : undefined;
  const idBytes = id ? id.copy(bytes, start) : bytes.write(messageId, start, "utf8");
  const length = bytes.write(text, start + idBytes, "utf8");
  const foot = start + idBytes + length;
  bytes.writeUInt32LE(ordinal, foot);
  bytes.writeUInt32LE(Math.max(0, Math.min(0xffffffff, Math.trunc(atSeconds))), foot + 4);
  bytes[foot + 8] = ROLES.indexOf(role);
  bytes[foot + 9] = KINDS.indexOf(kind);
  bytes[foot + 10] = idBytes;
  bytes.writeUInt32LE(length, foot + 11);
  return foot + FOOT;
};

/** Where the part that ends there begins, and its text lies, for building the index without decoding it. */
export const textRange = (bytes: Buffer, end: number): { start: number; from: number; to: number } => {
  const to = end - FOOT;
  const from = to - bytes.readUInt32LE(to + 11);
  return { start: from - (bytes[to + 10] as number), from, to };
};

const decodePart = (bytes: Buffer, start: number, end: number): IndexedPart | undefined => {
  const foot = end - FOOT;
  const role = ROLES[bytes[foot + 8] as number];
  const kind = KINDS[bytes[foot + 9] as number];
  if (role === undefined || kind === undefined) return undefined;
  const from = start + (bytes[foot + 10] as number);
  return {
    ordinal: bytes.readUInt32LE(foot),
    atSeconds: bytes.readUInt32LE(foot + 4),
    role,
    kind,
    messageId: bytes.toString("utf8", start, from),
    text: bytes.toString("utf8", from, foot),
  };
};

/** The bytes of a block, one character each and in lower case, and what every part of interest holds there. */
export type Trace = { folded: string; literal: string };

export type PartVisit = {
  /** none: every part is of interest */
  trace: Trace | undefined;
  /** told the parts of interest, the last one first, for as long as it says true */
  visit: (part: IndexedPart) => boolean;
  /** makes what is thrown where a part is none */
  damaged: () => Error;
};

/** Parts of a block from its end. One loop, and few calls a part: most searches are over before any of it is compiled. */
export const visitParts = (bytes: Buffer, { trace, visit, damaged }: PartVisit): void => {
  for (let end = bytes.length; end > 0;) {
    let place = end - 1;
    if (trace) {
      const last = end - trace.literal.length;
      place = last < 0 ? -1 : trace.folded.lastIndexOf(trace.literal, last);
      if (place < 0) return;
    }
    for (;;) {
      const foot = end - FOOT;
      if (foot < 0) throw damaged();
      const low = (bytes[foot + 11] as number) | ((bytes[foot + 12] as number) << 8);
      const high = (bytes[foot + 13] as number) | ((bytes[foot + 14] as number) << 8);
      const start = foot - (bytes[foot + 10] as number) - low - high * 0x10000;
      if (start < 0) throw damaged();
      if (start <= place) {
        const part = decodePart(bytes, start, end);
        if (!part) throw damaged();
        end = start;
        if (!visit(part)) return;
        break;
      }
      end = start;
    }
  }
};
