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

type Row = [ordinal: number, atSeconds: number, role: Role, kind: PartKind, messageId: string, text: string];

/** Parts as they lie in a block: JSON without names. */
export const encodeParts = (parts: readonly IndexedPart[]): Buffer =>
  Buffer.from(
    JSON.stringify(
      parts.map(({ ordinal, atSeconds, role, kind, messageId, text }): Row => [
        ordinal,
        atSeconds,
        role,
        kind,
        messageId,
        text,
      ]),
    ),
  );

/** @throws SyntaxError where a block is not what was written */
export const decodeParts = (block: Buffer): IndexedPart[] =>
  (JSON.parse(block.toString("utf8")) as Row[]).map(([ordinal, atSeconds, role, kind, messageId, text]) => ({
    ordinal,
    atSeconds,
    role,
    kind,
    messageId,
    text,
  }));

/** What people said (tier 0) ranks before what tools were given and printed (tier 1). */
export const tierOf = ({ kind }: Pick<IndexedPart, "kind">): 0 | 1 => (kind === "text" ? 0 : 1);
