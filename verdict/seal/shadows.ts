import { posix } from "node:path";
import type { TreeEntry } from "../read-tree.ts";
import type { Reason } from "../verdict.ts";
import type { Change } from "./changed-files.ts";

const SCRIPT = /(?<!\.d)\.[cm]?[jt]sx?$/;
const ENDINGS = ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];

/** The module that a new file would be loaded in place of. */
const shadowed = (path: string, isThere: (path: string) => boolean): string | undefined => {
  // No loader takes these by another name than their whole one.
  if (/\.c[jt]s$/.test(path)) return undefined;
  if (SCRIPT.test(path)) {
    const stem = path.replace(SCRIPT, "");
    const beside = ENDINGS.flatMap((ending) => [`${stem}.${ending}`, `${stem}/index.${ending}`]);
    return beside.find((each) => each !== path && isThere(each));
  }
  if (path.endsWith("/__init__.py")) return [`${posix.dirname(path)}.py`].find(isThere);
  if (/\.(?:so|pyd)$/.test(path)) return [path.replace(/\.(?:[\w-]+\.)?(?:so|pyd)$/, ".py")].find(isThere);
  return undefined;
};

/** New files that a loader takes for a module which the base had, and which is still there. */
export const findShadows = (
  changes: readonly Change[],
  before: ReadonlyMap<string, TreeEntry>,
  after: ReadonlyMap<string, TreeEntry>,
): Reason[] =>
  changes.flatMap(({ path, before: was, after: is }): Reason[] => {
    if (was !== undefined || is === undefined) return [];
    const module = shadowed(path, (each) => before.has(each) && after.has(each));
    if (module === undefined) return [];
    const message = `goes by the name of ${module}, which is still there: which of the two do tests load, and which does the program?`;
    return [{ kind: "shadow", weight: "undecided", file: path, message }];
  });

const targetsOf = (text: string): Map<string, string> => {
  const targets = new Map<string, string>();
  const walk = (value: unknown, key: string): void => {
    if (typeof value === "string") targets.set(key, posix.normalize(value));
    else if (typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value)) walk(inner, `${key}[${JSON.stringify(name)}]`);
  };
  try {
    const manifest = JSON.parse(text) as Record<string, unknown>;
    for (const key of ["exports", "main", "module", "browser"]) walk(manifest[key], key);
  } catch {
    // a manifest that cannot be read is sealed whole
  }
  return targets;
};

/** Entries of a package that lead to another file now, while the one they led to is still there. */
export const findMovedEntries = (
  { path, was, is }: { path: string; was: string; is: string },
  after: ReadonlyMap<string, TreeEntry>,
): Reason[] => {
  const now = targetsOf(is);
  return [...targetsOf(was)].flatMap(([key, target]): Reason[] => {
    const instead = now.get(key);
    const isThere = after.has(posix.join(posix.dirname(path), target));
    if (instead === undefined || instead === target || !isThere) return [];
    const message = `${key} led to ${target} and leads to ${instead} now, while ${target} is still there: tests that go by the package's name test another file than the program runs`;
    return [{ kind: "shadow", weight: "undecided", file: path, message }];
  });
};
