import { posix } from "node:path";
import type { Git } from "../../core/git.ts";
import type { Reason } from "../verdict.ts";
import type { Change } from "./changed-files.ts";
import { findPackageTampering } from "./packages.ts";
import { isLink, readBlob, type TreeEntry } from "../read-tree.ts";
import { findMovedEntries, findShadows } from "./shadows.ts";
import { type Seal, isAllowed, listHidden, listReplaced } from "./seal.ts";

/** Programs that gates are made of: one of these names in the tree stands in the way of the real one. */
const PROGRAMS =
  /^(?:node|npm|npx|pnpm|pnpx|yarn|bun|bunx|deno|tsx|tsc|vitest|jest|mocha|ava|eslint|oxlint|biome|prettier|python[\d.]*|pip[\d.]*|pytest|uv|uvx|tox|nox|ruff|mypy|go|gofmt|golangci-lint|cargo|rustc|rustfmt|make|git|sh|bash|dash|zsh|env|true|false|test|grep|diff|nightshift|worker)(?:\.(?:cmd|exe|bat|ps1|sh))?$/;
const PACKAGES = /(?:^|\/)(?:node_modules|site-packages|\.venv|venv|[^/]+\.(?:dist|egg)-info)\//;
/** What tools keep for themselves and believe without looking at the sources again. */
const KEPT =
  /(?:^|\/)(?:__pycache__|\.(?:pytest|mypy|ruff|eslint)_?cache|\.(?:turbo|nx)\/cache)\/|\.(?:pyc|pyo|tsbuildinfo)$|(?:^|\/)\.(?:eslint|stylelint|prettier)cache$/;
const VENDORED = /(?:^|\/)(?:vendor|third_party)\//;
const VENDOR_LISTS = /(?:^|\/)(?:go\.mod|go\.sum|modules\.txt|Cargo\.lock|Gemfile\.lock|composer\.lock)$/;
const EXECUTABLE = "100755";
const IN_PACKAGES =
  "lies in a folder of installed packages; change what is installed by its manifest and lock file";

const refused = (kind: string, file: string, message: string): Reason => ({
  kind,
  weight: "refused",
  file,
  message,
});

type Tree = ReadonlyMap<string, TreeEntry>;
type DoorInput = { seal: Seal; changes: readonly Change[]; trees: { before: Tree; after: Tree } };

/** Ways round the gates that leave their files as they are. */
export const findSideDoors = async (git: Git, { seal, changes, trees }: DoorInput): Promise<Reason[]> => {
  const open = changes.filter(({ path, after }) => after !== undefined && !isAllowed(seal.settings, path));
  const found: Reason[] = [];
  const refuse = (...about: Parameters<typeof refused>): void => void found.push(refused(...about));
  for (const change of open) {
    const { path, after } = change;
    const target = after && isLink(after) ? await readBlob(git, after) : undefined;
    if (target !== undefined && leadsOut(path, target))
      refuse("link", path, `is a link out of the repository, to ${target}; commit what it leads to`);
    if (path.split("/").includes(".nightshift"))
      refuse("cache", path, "stands where Nightshift keeps its own answers; take it out");
    if (KEPT.test(path))
      refuse(
        "cache",
        path,
        "is what a tool keeps for itself and believes in place of the sources; take it out",
      );
    else if (PACKAGES.test(path)) refuse("package", path, IN_PACKAGES);
    else if (isShim(change)) {
      const name = posix.basename(path);
      refuse(
        "shim",
        path,
        `is a program with the name of one that gates call (${name}); give it another name`,
      );
    }
  }
  const vendored = open.find(({ path }) => VENDORED.test(path) && !VENDOR_LISTS.test(path));
  if (vendored && !changes.some(({ path }) => VENDOR_LISTS.test(path)))
    refuse(
      "package",
      vendored.path,
      "is a vendored dependency that was changed without a change of its version",
    );
  const manifests = open.filter(({ path, before }) => before && posix.basename(path) === "package.json");
  for (const { path, before, after } of manifests) {
    const [was, is] = [before ? await readBlob(git, before) : "", after ? await readBlob(git, after) : ""];
    found.push(...findMovedEntries({ path, was, is }, trees.after));
  }
  const shadows = findShadows(open, trees.before, trees.after);
  return [...found, ...shadows, ...(await findPackageTampering(git, open))];
};

const isShim = ({ path, before, after }: Change): boolean =>
  PROGRAMS.test(posix.basename(path)) &&
  after?.mode === EXECUTABLE &&
  before?.mode !== EXECUTABLE &&
  !/(?:^|\/)cmd\/|\.sh$/.test(path);

const leadsOut = (path: string, target: string): boolean =>
  posix.isAbsolute(target) || posix.join(posix.dirname(path), target).startsWith("..");

/** What git of the project was told since the start, so that it shows something else than there is. */
export const findHiding = async (git: Git, seal: Seal): Promise<Reason[]> => {
  const hidden = (await listHidden(git)).filter((path) => !seal.hidden.includes(path));
  const replaced = (await listReplaced(git)).filter((ref) => !seal.replaced.includes(ref));
  const undo = "undo that: git update-index --no-assume-unchanged --no-skip-worktree";
  return [
    ...hidden
      .slice(0, 20)
      .map((file) => refused("hidden", file, `git was told not to look at it; ${undo} ${file}`)),
    ...replaced.slice(0, 20).map((ref): Reason => {
      const object = posix.basename(ref);
      const message = `git shows another object in the place of ${object}; undo that: git replace -d ${object}`;
      return { kind: "replaced", weight: "refused", message };
    }),
  ];
};
