/** Bytes of a representation, both ends included. */
export type ByteRange = { start: number; end: number };

/**
 * Reads a Range header against a size. `undefined` means: answer the whole (another unit, malformed, or
 * several ranges, which RFC 9110 14.2 lets a server ignore); `"unsatisfiable"` means 416.
 */
export const readRange = (header: string, size: number): ByteRange | "unsatisfiable" | undefined => {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header);
  const [first = "", last = ""] = match?.slice(1) ?? [];
  if (!match || (first === "" && last === "")) return undefined;
  if (first === "") {
    const suffix = Math.min(Number(last), size);
    return suffix === 0 ? "unsatisfiable" : { start: size - suffix, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
};
