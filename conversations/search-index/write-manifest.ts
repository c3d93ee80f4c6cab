import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryBeside } from "../../core/durable-file.ts";
import { type IndexedFile, type Manifest, MANIFEST_NAME, type Row } from "./manifest.ts";

const toRow = (file: IndexedFile): Row => [
  file.file,
  file.agent,
  file.id,
  file.path,
  file.format,
  file.sizeBytes,
  file.mtimeMs,
  file.isSubAgent ? 1 : 0,
  file.doneBytes,
  file.lines,
  file.entries,
  file.hash,
  file.states,
  file.dir,
];

/** By rename, so that a reader sees the old one or the new one; an index lost in a power cut is built anew. */
export const writeManifest = (folder: string, manifest: Manifest): void => {
  const path = join(folder, MANIFEST_NAME);
  const temporary = temporaryBeside(path);
  const files = [...manifest.files.values()].map(toRow);
  writeFileSync(temporary, JSON.stringify({ ...manifest, files }), { mode: 0o600 });
  renameSync(temporary, path);
};
