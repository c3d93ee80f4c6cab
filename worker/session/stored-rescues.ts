import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { type Git, treeOf } from "../../core/git.ts";
import { type Repository, listRepositories } from "./nested-repositories.ts";
import { rescueRefs } from "./rescue-refs.ts";

/** One rescue as the repository keeps it. */
export type StoredRescue = {
  number: number;
  ref: string;
  /** "" for the worker's own repository, else where the inner one lies in it */
  repository: string;
  at: string;
  /** the commit it was made on; undefined on a branch without one */
  parent: string | undefined;
  paths: string[];
};

type Found = { rescue: StoredRescue; within: Repository };

const readRescue = async (
  within: Repository,
  { ref, number }: { ref: string; number: number },
): Promise<Found> => {
  const { git } = within;
  const [at = "", parent = ""] = (await git.run(["show", "-s", "--format=%cI%n%P", ref])).trim().split("\n");
  const names = await git.run([
    "diff-tree",
    "-r",
    "-z",
    "--name-only",
    "--no-renames",
    parent || (await treeOf(git, undefined)),
    ref,
  ]);
  const paths = names.split("\0").filter(Boolean);
  return { rescue: { number, ref, repository: within.path, at, parent: parent || undefined, paths }, within };
};

const findRescues = async (git: Git, worker: string): Promise<Found[]> => {
  const found: Found[] = [];
  for (const repository of await listRepositories(git))
    for (const ref of await rescueRefs(repository.git, worker)) found.push(await readRescue(repository, ref));
  return found.toSorted((a, b) => a.rescue.number - b.rescue.number);
};

/** Every rescue of a worker, oldest first, those in inner repositories included. */
export const listRescues = async (git: Git, worker: string): Promise<StoredRescue[]> =>
  (await findRescues(git, worker)).map(({ rescue }) => rescue);

/** @throws AppError `not-found` that lists the numbers there are */
const getRescues = async (git: Git, worker: string, number: number | undefined): Promise<Found[]> => {
  const all = await findRescues(git, worker);
  const wanted = number ?? all.at(-1)?.rescue.number;
  const found = all.filter(({ rescue }) => rescue.number === wanted);
  if (found.length > 0) return found;
  const numbers = [...new Set(all.map(({ rescue }) => rescue.number))].join(", ");
  throw new AppError(
    "not-found",
    numbers === ""
      ? `nothing was rescued for worker ${worker} in this repository`
      : `worker ${worker} has no rescue ${number}; it has: ${numbers}`,
  );
};

const patchOf = async ({ within, rescue: { parent, ref } }: Found): Promise<string> =>
  within.git.run([
    "diff-tree",
    "-p",
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    parent ?? (await treeOf(within.git, undefined)),
    ref,
  ]);

/** One rescue (the last one without a number) with what it would change, as a patch. */
export const showRescue = async (
  git: Git,
  worker: string,
  number: number | undefined,
): Promise<(StoredRescue & { patch: string })[]> =>
  Promise.all(
    (await getRescues(git, worker, number)).map(async (found) => ({
      ...found.rescue,
      patch: await patchOf(found),
    })),
  );

/**
 * Brings a rescue back into the work tree, the index left alone: all of it, or nothing where one file does
 * not fit. @throws AppError `conflict` with git's words and other ways to get at it
 */
export const applyRescue = async (
  git: Git,
  worker: string,
  number: number | undefined,
): Promise<StoredRescue[]> => {
  const found = await getRescues(git, worker, number);
  const patches = await Promise.all(found.map(async (one) => ({ one, patch: await patchOf(one) })));
  const apply = ({ within }: Found, patch: string, options: string[]) =>
    within.git.run(["-C", within.root, "apply", "--whitespace=nowarn", ...options, "-"], {
      input: patch,
    });
  for (const { one, patch } of patches)
    try {
      if (patch !== "") await apply(one, patch, ["--check"]);
    } catch (error) {
      throw refuse(one, error);
    }
  for (const { one, patch } of patches) if (patch !== "") await apply(one, patch, []);
  return found.map(({ rescue }) => rescue);
};

const refuse = ({ rescue: { ref }, within }: Found, error: unknown): AppError => {
  const words =
    error instanceof AppError ? error.message.replace(/^git .*? failed in .*?: /, "") : String(error);
  const place = within.path === "" ? "" : ` -C ${join(within.root)}`;
  return new AppError(
    "conflict",
    `${ref} does not fit the work tree as it is now; nothing was changed:\n${words}\nTake single files with: git${place} restore --source ${ref} -- <path>\nor all of it on a branch of its own with: git${place} branch rescued ${ref}`,
    { cause: error },
  );
};
