import type { FindPlace } from "./block.ts";

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

const anywhere: FindPlace = (end) => end - 1;
const nowhere: FindPlace = () => -1;

/**
 * Where texts that hold all the literals may be in the bytes of a block, told without taking it apart: a text cannot
 * be where the longest of them is not.
 */
export const findLiterals = (bytes: Buffer, literals: readonly string[]): FindPlace => {
  let folded: string | undefined;
  let longest = "";
  for (const each of literals) {
    const literal = each.toLowerCase();
    if (!isPlain(bytes, literal)) continue;
    folded ??= bytes.toString("latin1").toLowerCase();
    if (!folded.includes(literal)) return nowhere;
    if (literal.length > longest.length) longest = literal;
  }
  const text = folded;
  if (text === undefined || longest === "") return anywhere;
  return (end) => (end < longest.length ? -1 : text.lastIndexOf(longest, end - longest.length));
};
