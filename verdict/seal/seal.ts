import type { GateDeclaration } from "../../core/config/sections/gates.ts";
import { writeFileDurably } from "../../core/durable-file.ts";
import { AppError } from "../../core/errors.ts";
import type { Git } from "../../core/git.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { type MarkedFolder, markDependencies } from "../room/dependencies.ts";
import { type NamingText, checkingScripts, findNamed } from "./named-files.ts";
import { type TreeEntry, readBlob, readTree } from "../read-tree.ts";
import { matchesSome, sealedBy } from "./sealed-files.ts";
import type { VerifySettings } from "./settings.ts";

/** The rules of a verdict as they stood before the agent's first session. */
export type Seal = {
  version: 1;
  at: string;
  /** undefined where there was no commit yet */
  base: { commit: string; tree: string } | undefined;
  declared: Readonly<Record<string, GateDeclaration>>;
  /** folder that the declared gates are about */
  gatesRoot: string;
  settings: VerifySettings;
  /** sealed paths of the base with the rule that seals them and their content's name in git */
  files: { path: string; rule: string; object: string }[];
  /** branches and tags */
  refs: [string, string][];
  /** files that git was told not to look at, objects that were replaced: before the agent came */
  hidden: string[];
  replaced: string[];
  /** folders of installed packages with what they held */
  folders: MarkedFolder[];
};

export const NAMED = "named by a gate or a script";
const MOST_REFS = 5_000;

type SealPorts = { git: Git; now: () => number };
type SealInput = {
  /** top of the work tree */
  top: string;
  declared: Seal["declared"];
  gatesRoot: string;
  settings: VerifySettings;
  /** the commit that the work began at, where that is not HEAD */
  base?: string | undefined;
};

/** Reads the rules from the base commit: nothing that is uncommitted, and nothing that comes later, is one. */
export const makeSeal = async ({ git, now }: SealPorts, input: SealInput): Promise<Seal> => {
  const found = await git.find(["rev-parse", "--verify", "--quiet", `${input.base ?? "HEAD"}^{commit}`]);
  const commit = found?.trim() || undefined;
  const tree = commit && (await git.run(["rev-parse", `${commit}^{tree}`])).trim();
  const entries = await readTree(git, commit);
  return {
    version: 1,
    at: new Date(now()).toISOString(),
    base: commit && tree ? { commit, tree } : undefined,
    declared: input.declared,
    gatesRoot: input.gatesRoot,
    settings: input.settings,
    files: await listSealed(git, entries, input),
    refs: await listRefs(git),
    hidden: await listHidden(git),
    replaced: await listReplaced(git),
    folders: await markDependencies(input.top, [...entries.keys()]),
  };
};

const SCRIPT = /\.(?:sh|bash|mk)$|(?:^|\/)(?:Makefile|GNUmakefile|justfile)$/;

/** The rule of every sealed path; what gates and scripts name is followed as far as scripts name further files. */
const listSealed = async (
  git: Git,
  entries: ReadonlyMap<string, TreeEntry>,
  { declared, settings }: Pick<SealInput, "declared" | "settings">,
): Promise<Seal["files"]> => {
  const rules = new Map<string, string>();
  const open: string[] = [];
  const add = (path: string, rule: string) => {
    if (rules.has(path)) return;
    rules.set(path, rule);
    open.push(path);
  };
  for (const path of entries.keys()) {
    const rule = sealedBy(path, settings.sealed);
    if (rule !== undefined) add(path, rule);
  }
  const files = new Set(entries.keys());
  const commands = Object.values(declared).map(({ command = "", cwd = "." }) => ({
    path: `${cwd}/gate`,
    text: command,
  }));
  for (const path of findNamed(commands, files)) add(path, NAMED);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const entry = entries.get(path);
    if (entry === undefined || !isTelling(path, rules.get(path) ?? "")) continue;
    for (const named of findNamed(namingTexts(path, await readBlob(git, entry)), files)) add(named, NAMED);
  }
  return [...rules]
    .map(([path, rule]) => ({ path, rule, object: entries.get(path)?.object ?? "" }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
};

/** Sealed files whose text says which other files are run or loaded. */
const isTelling = (path: string, rule: string): boolean =>
  SCRIPT.test(path) ||
  /package\.json$|setup\.cfg$|\.ini$|pyproject\.toml$|deno\.jsonc?$/.test(path) ||
  ["a test runner's config", "gates", "hooks"].includes(rule);

const namingTexts = (path: string, text: string): NamingText[] =>
  /(?:^|\/)package\.json$/.test(path)
    ? checkingScripts(text).map((command) => ({ path, text: command }))
    : [{ path, text }];

const listRefs = async (git: Git): Promise<Seal["refs"]> => {
  const text = await git.find([
    "for-each-ref",
    `--count=${MOST_REFS}`,
    "--format=%(refname) %(objectname)",
    "refs/heads",
    "refs/remotes",
    "refs/tags",
  ]);
  return (text ?? "").split("\n").flatMap((line): [string, string][] => {
    const [name, object] = line.split(" ");
    return name && object ? [[name, object]] : [];
  });
};

/** Files whose changes git was told not to show: `assume-unchanged` and `skip-worktree`. */
export const listHidden = async (git: Git): Promise<string[]> => {
  const text = (await git.find(["ls-files", "-v", "-z"])) ?? "";
  return text
    .split("\0")
    .filter((entry) => /^(?:[a-z]|S) /.test(entry))
    .map((entry) => entry.slice(2));
};

export const listReplaced = async (git: Git): Promise<string[]> =>
  ((await git.find(["for-each-ref", "--format=%(refname)", "refs/replace"])) ?? "")
    .split("\n")
    .filter(Boolean);

export const saveSeal = (path: string, seal: Seal): void =>
  writeFileDurably(path, JSON.stringify(seal), { mode: 0o600 });

/** @throws AppError `bad-data` for a file that is none */
export const findSeal = (path: string): Seal | undefined => {
  const text = readFileIfThere(path);
  if (text === undefined) return undefined;
  try {
    const seal = JSON.parse(text) as Seal;
    if (seal.version === 1 && Array.isArray(seal.files)) return seal;
  } catch {
    // said below
  }
  throw new AppError("bad-data", `${path} holds no seal; start the worker again to make a new one`);
};

/** Whether the session may change a path: the config as it stood at the start says so. */
export const isAllowed = ({ mayChange }: VerifySettings, path: string): boolean =>
  mayChange.length > 0 && matchesSome(path, mayChange);
