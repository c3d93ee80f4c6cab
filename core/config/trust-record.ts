import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileDurably } from "../durable-file.ts";
import { type Environment, nightshiftHome } from "../paths.ts";
import { readFileIfThere } from "../read-file.ts";
import { projectIdentity, readCodeFiles } from "./code-files.ts";

/**
 * What a person agreed to: the scripts of a project with their texts, so that a change can be shown. Of each the
 * last few, the newest first: branches of one project differ.
 */
export type TrustRecord = { project: string; trustedAt: string; files: Record<string, readonly string[]> };

const MOST_VERSIONS = 8;

/** A file that is not as it was agreed to; `before` is missing where it never was. */
export type UntrustedFile = { file: string; before: string | undefined; now: string };

const trustFolder = (env: Environment): string => join(nightshiftHome(env), "trust");

const recordPath = (env: Environment, project: string): string =>
  join(trustFolder(env), `${createHash("sha256").update(project).digest("hex").slice(0, 32)}.json`);

const readRecord = (path: string): TrustRecord | undefined => {
  const text = readFileIfThere(path);
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Partial<TrustRecord> | null;
    return typeof value?.project === "string" && typeof value.files === "object" && value.files !== null
      ? { project: value.project, trustedAt: value.trustedAt ?? "", files: value.files }
      : undefined;
  } catch {
    return undefined; // damaged: as good as none, and asked for again
  }
};

const versionsOf = (files: TrustRecord["files"], file: string): readonly string[] =>
  Object.hasOwn(files, file) && Array.isArray(files[file]) ? files[file] : [];

const knows = (files: TrustRecord["files"], file: string, text: string): boolean =>
  versionsOf(files, file).includes(text);

/** The scripts among `entries`, and what they import, that nobody agreed to as they are now. */
export const listUntrusted = (
  env: Environment,
  { root, entries }: { root: string; entries: readonly string[] },
): UntrustedFile[] => {
  const project = projectIdentity(root);
  const record = readRecord(recordPath(env, project));
  const files = record?.project === project ? record.files : {};
  return [...readCodeFiles(root, entries)]
    .filter(([file, now]) => !knows(files, file, now))
    .map(([file, now]) => ({ file, before: versionsOf(files, file)[0], now }));
};

/** Writes down that these scripts, and what they import, may run as they are now; returns their names. */
export const recordTrust = (
  env: Environment,
  { root, entries }: { root: string; entries: readonly string[] },
  now: number = Date.now(),
): string[] => {
  const project = projectIdentity(root);
  const files = [...readCodeFiles(root, entries)];
  const path = recordPath(env, project);
  const found = readRecord(path);
  const known = found?.project === project ? found.files : {};
  const versions = ([file, text]: [string, string]): [string, string[]] => [
    file,
    [text, ...versionsOf(known, file).filter((other) => other !== text)].slice(0, MOST_VERSIONS),
  ];
  const record: TrustRecord = {
    project,
    trustedAt: new Date(now).toISOString(),
    files: { ...known, ...Object.fromEntries(files.map(versions)) },
  };
  writeFileDurably(path, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  return files.map(([file]) => file).sort();
};

/** Takes the decision about a project back; false where there was none. */
export const revokeTrust = (env: Environment, root: string): boolean => {
  const path = recordPath(env, projectIdentity(root));
  const isThere = existsSync(path);
  rmSync(path, { force: true });
  return isThere;
};

/** Every decision of this user. */
export const listTrust = (env: Environment): TrustRecord[] => {
  const folder = trustFolder(env);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return names
    .flatMap((name) => readRecord(join(folder, name)) ?? [])
    .sort((a, b) => a.project.localeCompare(b.project));
};

/**
 * Trusts the scripts of a folder when this user trusted the very same ones elsewhere: what a pool has cloned
 * lies at a new place each time. @returns whether it did
 */
export const inheritTrust = (
  env: Environment,
  { root, entries }: { root: string; entries: readonly string[] },
): boolean => {
  const files = [...readCodeFiles(root, entries)];
  const isKnown = listTrust(env).some((record) =>
    files.every(([file, text]) => knows(record.files, file, text)),
  );
  if (isKnown) recordTrust(env, { root, entries });
  return isKnown;
};
