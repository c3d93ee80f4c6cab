import { createReadStream } from "node:fs";
import { toWebStream } from "../http/web-stream.ts";
import type { ByteRange } from "./range.ts";

/** A part of a file as a response body, by the runtime's best way: Bun sends files without copying them. */
export const fileBody = (path: string, { start, end }: ByteRange): BodyInit =>
  "Bun" in globalThis
    ? Bun.file(path).slice(start, end + 1)
    : toWebStream(createReadStream(path, { start, end }));
