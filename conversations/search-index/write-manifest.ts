import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryBeside } from "../../core/durable-file.ts";
import {
  type FileHead,
  loadDetails,
  type Manifest,
  MANIFEST_NAME,
  type StoredFile,
  type StoredManifest,
  withDetails,
} from "./manifest.ts";

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

const groupFiles = (manifest: Manifest): StoredManifest["groups"] => {
  const groups = new Map<string, StoredManifest["groups"][number]>();
  const add = (head: FileHead) => {
    const slash = head.path.lastIndexOf("/") + 1;
    const folder = head.path.slice(0, slash);
    const key = `${head.agent}\n${head.format}\n${head.isSubAgent}\n${folder}`;
    const group = groups.get(key) ?? [head.agent, head.format, head.isSubAgent ? 1 : 0, folder, []];
    groups.set(key, group);
    const [offset, length] = manifest.places.get(head.file) ?? [0, 0];
    const row: StoredFile = [
      head.file,
      head.path.slice(slash),
      head.id,
      head.sizeBytes,
      head.mtimeMs,
      offset,
      length,
    ];
    group[4].push(row);
  };
  for (const head of manifest.files.values()) add(head);
  return [...groups.values()];
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
  const { version, nextFile, segments, dead, databases } = manifest;
  const stored: StoredManifest = {
    version,
    nextFile,
    segments,
    dead,
    databases,
    detailsName,
    groups: groupFiles(manifest),
  };
  writeByRename(join(folder, MANIFEST_NAME), JSON.stringify(stored));
};
