import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryBeside } from "../../core/durable-file.ts";
import { loadDetails, type Manifest, MANIFEST_NAME, type StoredManifest, withDetails } from "./manifest.ts";

const writeByRename = (path: string, content: string): void => {
  const temporary = temporaryBeside(path);
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, path);
};

type Written = { text: string; places: Map<number, readonly [number, number]> };

const encodeDetails = (manifest: Manifest): Written => {
  const places = new Map<number, readonly [number, number]>();
  const lines: string[] = [];
  let offset = 0;
  for (const head of manifest.files.values()) {
    const { doneBytes, lines: count, entries, hash, states, dir } = withDetails(manifest, head);
    const line = JSON.stringify({ doneBytes, lines: count, entries, hash, states, dir });
    const length = Buffer.byteLength(line);
    places.set(head.file, [offset, length]);
    lines.push(line);
    offset += length + 1;
  }
  return { text: `${lines.join("\n")}\n`, places };
};

export const toStored = (manifest: Manifest): StoredManifest => {
  const { version, nextFile, segments, dead, databases, detailsName, places } = manifest;
  const heads = [...manifest.files.values()];
  return {
    version,
    nextFile,
    segments,
    dead,
    databases,
    detailsName,
    paths: heads.map(({ path }) => path),
    ids: heads.map(({ id }) => id),
    agents: heads.map(({ agent }) => agent),
    formats: heads.map(({ format }) => format),
    subAgents: heads.map(({ isSubAgent }) => (isSubAgent ? 1 : 0)),
    numbers: heads.map(({ file }) => file),
    sizes: heads.map(({ sizeBytes }) => sizeBytes),
    dates: heads.map(({ mtimeMs }) => mtimeMs),
    offsets: heads.map(({ file }) => places.get(file)?.[0] ?? 0),
    lengths: heads.map(({ file }) => places.get(file)?.[1] ?? 0),
  };
};

/**
 * Writes the details, then the manifest that names them, each by rename: a reader sees the old index or
 * the new one. An index lost in a power cut is built anew, so nothing waits for the disk.
 */
export const writeManifest = (folder: string, manifest: Manifest, detailsName: string): void => {
  loadDetails(
    folder,
    manifest,
    [...manifest.files.values()].map(({ file }) => file),
  );
  const { text, places } = encodeDetails(manifest);
  writeByRename(join(folder, detailsName), text);
  manifest.detailsName = detailsName;
  manifest.places = places;
  writeByRename(join(folder, MANIFEST_NAME), JSON.stringify(toStored(manifest)));
};
