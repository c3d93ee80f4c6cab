import { parseJson } from "../../core/parse-json.ts";
import type { Git } from "../../core/git.ts";
import type { Reason } from "../verdict.ts";
import type { Change } from "./changed-files.ts";
import { readBlob } from "../read-tree.ts";

const NPM_LOCK = /(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/;

type LockEntry = { version?: string; resolved?: string; integrity?: string; link?: boolean };

const MANIFEST = /(?:^|\/)package\.json$/;
const GROUPS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const ELSEWHERE = /^(?:file|link|portal|patch|git|git\+\w+|https?|github):|^[\w-]+\/[\w.-]+(?:#|$)/;

const dependenciesOf = (text: string): Map<string, string> => {
  const manifest = parseJson(text) as Record<string, Record<string, string> | undefined> | null | undefined;
  return new Map(GROUPS.flatMap((group) => Object.entries(manifest?.[group] ?? {})));
};

/** A package that the base took from the registry, and that comes from elsewhere now. */
const findReplaced = async (git: Git, { path, before, after }: Change): Promise<Reason[]> => {
  if (!MANIFEST.test(path) || !before || !after) return [];
  const text = await readBlob(git, after);
  const known = dependenciesOf(await readBlob(git, before));
  return [...dependenciesOf(text)].flatMap(([name, from]): Reason[] => {
    const was = known.get(name);
    if (was === undefined || was === from || ELSEWHERE.test(was) || !ELSEWHERE.test(from)) return [];
    const line = text.slice(0, text.indexOf(JSON.stringify(name))).split("\n").length;
    const message = `${name} is taken from ${from} now, not from the registry`;
    return [{ kind: "package", weight: "refused", file: path, line, message }];
  });
};

const entriesOf = (text: string): Record<string, LockEntry> =>
  (parseJson(text) as { packages?: Record<string, LockEntry> } | null | undefined)?.packages ?? {};

/** What another text of the same version says of a package: somebody else's package under its name. */
const findFault = (before: LockEntry | undefined, after: LockEntry): string | undefined => {
  if (before && before.version === after.version && before.integrity !== undefined) {
    if (after.integrity !== before.integrity) return "has another checksum for the same version";
    if (after.resolved !== before.resolved)
      return `comes from elsewhere (${after.resolved ?? "nowhere"}) in the same version`;
  }
  if (before && after.link && !before.link) return "is a folder of the tree now, not from the registry";
  return before &&
    !before.link &&
    /^(?:file|git[+:]|\.)/.test(after.resolved ?? "") &&
    after.resolved !== before.resolved
    ? `is taken from ${after.resolved} now, not from the registry`
    : undefined;
};

/** Packages that are no longer what the base installed under the same name and version. */
export const findPackageTampering = async (git: Git, changes: readonly Change[]): Promise<Reason[]> => {
  const found: Reason[] = [];
  for (const change of changes) {
    const { path, before, after } = change;
    found.push(...(await findReplaced(git, change)));
    if (!NPM_LOCK.test(path) || !before || !after) continue;
    const [text, was] = [await readBlob(git, after), entriesOf(await readBlob(git, before))];
    for (const [name, entry] of Object.entries(entriesOf(text))) {
      const fault = findFault(was[name], entry);
      if (fault === undefined) continue;
      const line = text.slice(0, text.indexOf(JSON.stringify(name))).split("\n").length;
      found.push({ kind: "package", weight: "refused", file: path, line, message: `${name} ${fault}` });
    }
  }
  return found;
};
