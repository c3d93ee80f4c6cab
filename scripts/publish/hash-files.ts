import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { LocalFile } from "./collect-files.ts";
import { inParallel } from "./in-parallel.ts";

export type HashedFile = LocalFile & { sha256: string };

const PARALLEL = 4;

/** Reads every file once for its SHA-256, telling the bytes as they are read. */
export const hashFiles = async (
  files: readonly LocalFile[],
  { signal, onBytes }: { signal: AbortSignal; onBytes: (bytes: number) => void },
): Promise<HashedFile[]> => {
  const hashed = new Map<string, HashedFile>();
  await inParallel(files, PARALLEL, async (file) => {
    const hash = createHash("sha256");
    await pipeline(
      createReadStream(file.file),
      async (source: AsyncIterable<Buffer>) => {
        for await (const chunk of source) {
          hash.update(chunk);
          onBytes(chunk.length);
        }
      },
      { signal },
    );
    hashed.set(file.path, { ...file, sha256: hash.digest("hex") });
  });
  return files.flatMap(({ path }) => hashed.get(path) ?? []);
};
