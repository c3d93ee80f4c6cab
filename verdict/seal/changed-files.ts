import type { Git } from "../../core/git.ts";
import type { SealedChange } from "../verdict.ts";
import { findNamed } from "./named-files.ts";
import { type TreeEntry, isLink, readBlob } from "../read-tree.ts";
import { type Seal, isAllowed } from "./seal.ts";
import { isTestPath, sealedBy } from "./sealed-files.ts";
import { isPartlySealed, sealedPart } from "./sealed-parts.ts";

/** One path that differs between the base and the judged commit. */
export type Change = { path: string; before: TreeEntry | undefined; after: TreeEntry | undefined };

export const compareTrees = (
  base: ReadonlyMap<string, TreeEntry>,
  head: ReadonlyMap<string, TreeEntry>,
): Change[] => {
  const paths = [...new Set([...base.keys(), ...head.keys()])].toSorted();
  return paths.flatMap((path) => {
    const [before, after] = [base.get(path), head.get(path)];
    const isSame = before?.object === after?.object && before?.mode === after?.mode;
    return isSame ? [] : [{ path, before, after }];
  });
};

type SealedInput = {
  seal: Seal;
  task: string;
  changes: readonly Change[];
  /** every file of the base */
  before: ReadonlyMap<string, TreeEntry>;
};

/** Folders of the base that hold something, however deep. */
const foldersOf = (files: Iterable<string>): Set<string> => {
  const folders = new Set<string>();
  for (const file of files)
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1))
      folders.add(file.slice(0, at));
  return folders;
};

/** What the session changed in sealed files; additions where only more can be checked by them do not count. */
export const findSealedChanges = async (
  git: Git,
  { seal, task, changes, before: known }: SealedInput,
): Promise<SealedChange[]> => {
  const rules = new Map(seal.files.map(({ path, rule }) => [path, rule]));
  const folders = foldersOf(known.keys());
  // A package in a folder of its own has no say in what was there.
  const isNewPackage = ({ path, before }: Change): boolean =>
    before === undefined &&
    isPartlySealed(path) &&
    path.includes("/") &&
    !folders.has(path.slice(0, path.lastIndexOf("/")));
  const found: SealedChange[] = [];
  for (const change of changes) {
    const { path, before, after } = change;
    const rule = rules.get(path) ?? (before === undefined ? sealedBy(path, seal.settings.sealed) : undefined);
    if (rule === undefined || isNewPackage(change) || (await isHarmless(git, change, rule))) continue;
    found.push({
      path,
      change: before === undefined ? "added" : after === undefined ? "removed" : "changed",
      rule,
      isAllowed: isAllowed(seal.settings, path),
      isNamed: findNamed([{ path: "task", text: task }], new Set([path])).has(path) || task.includes(path),
    });
  }
  return found;
};

const isHarmless = async (git: Git, { path, before, after }: Change, rule: string): Promise<boolean> => {
  if ([before, after].some((entry) => entry !== undefined && isLink(entry))) return false;
  if (isPartlySealed(path)) {
    const [was, is] = [before ? await readBlob(git, before) : "{}", after ? await readBlob(git, after) : ""];
    if (after === undefined) return false;
    return before === undefined
      ? isEmptyPart(sealedPart(path, is, was))
      : sealedPart(path, is, was) === sealedPart(path, was, was);
  }
  if (rule !== "a snapshot" || after === undefined) return false;
  return before === undefined || isLonger(await readBlob(git, before), await readBlob(git, after));
};

/** Nothing that is sealed stands in it, or only what a new package needs. */
const isEmptyPart = (part: string | undefined): boolean =>
  part === undefined || part.trim() === "" || part === "{}" || /^\{\s*"type": "\w+"\s*\}$/.test(part);

/** Every line of a snapshot is still there, in order: what is new was added between. */
const isLonger = (before: string, after: string): boolean => {
  const lines = after.split("\n");
  let at = 0;
  for (const line of before.split("\n")) {
    while (at < lines.length && lines[at] !== line) at++;
    if (at++ >= lines.length) return false;
  }
  return true;
};

/** Tests that the session changed or removed, as the base had them, and those it added; nobody said that it may. */
export const findChangedTests = (
  changes: readonly Change[],
  { settings, files }: Seal,
): { changed: TreeEntry[]; added: TreeEntry[] } => {
  const sealed = new Set(files.map(({ path }) => path));
  const tests = changes.filter(
    ({ path }) => isTestPath(path) && !sealed.has(path) && !isAllowed(settings, path),
  );
  return {
    changed: tests.flatMap(({ before }) => before ?? []),
    added: tests.flatMap(({ before, after }) => (before === undefined && after ? [after] : [])),
  };
};
