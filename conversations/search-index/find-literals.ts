import type { Trace } from "./block.ts";

// The two letters outside ASCII whose lower case begins with one inside it.
const KELVIN = "\u212A";
const DOTTED_I = "\u0130";

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
};

/** Whether these bytes show this literal, should they hold it, in lower case as they stand. */
const isPlain = (bytes: Buffer, literal: string): boolean =>
  isAscii(literal) &&
  !(literal.includes("k") && bytes.includes(KELVIN)) &&
  !(literal.includes("i") && bytes.includes(DOTTED_I));

/**
 * What tells texts that hold all the literals from others by the bytes of a block, without taking it apart: a text
 * cannot be where the longest of them is not.
 * @returns undefined when nothing does; false when no text of the block holds them
 */
export const traceLiterals = (bytes: Buffer, literals: readonly string[]): Trace | undefined | false => {
  let trace: Trace | undefined;
  for (const each of literals) {
    const literal = each.toLowerCase();
    if (literal === "" || !isPlain(bytes, literal)) continue;
    const folded: string = trace?.folded ?? bytes.toString("latin1").toLowerCase();
    if (!folded.includes(literal)) return false;
    if (!trace || literal.length > trace.literal.length) trace = { folded, literal };
  }
  return trace;
};
