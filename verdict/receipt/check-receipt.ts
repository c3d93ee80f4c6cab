import { readTree } from "../read-tree.ts";
import { AppError } from "../../core/errors.ts";
import type { Git } from "../../core/git.ts";
import { openEnvelope } from "./envelope.ts";
import type { CheckingKey } from "./keys.ts";
import { type Statement, isStatement } from "./statement.ts";

/** What a receipt says, and everything that is wrong with it. */
export type CheckedReceipt = {
  statement: Statement | undefined;
  keyId: string | undefined;
  faults: string[];
};

/** Proves a receipt: its signature, and every digest of it that a repository can tell. */
export const checkReceipt = async (
  text: string,
  { keys, git }: { keys: readonly CheckingKey[]; git?: Git | undefined },
): Promise<CheckedReceipt> => {
  const { statement, keyId, faults } = openEnvelope(text, keys);
  if (!isStatement(statement))
    return {
      statement: undefined,
      keyId,
      faults: faults.length > 0 ? faults : ["payload: is not a verdict of Nightshift"],
    };
  const found = git ? await checkDigests(git, statement) : [];
  return { statement, keyId, faults: [...faults, ...found] };
};

const checkDigests = async (git: Git, { subject, predicate }: Statement): Promise<string[]> => {
  const digest = subject[0]?.digest;
  if (!digest) return ["subject: names no commit"];
  const faults = [
    ...(await checkCommit(git, "subject.0", { commit: digest.gitCommit, tree: digest.gitTree })),
  ];
  const { base } = predicate;
  if (!base) return faults;
  const wrong = await checkCommit(git, "predicate.base", base);
  if (wrong.length > 0) return [...faults, ...wrong];
  const tree = await readTree(git, base.commit);
  for (const { path, digest: sealed } of predicate.sealed)
    if (tree.get(path)?.object !== sealed.gitBlob)
      faults.push(`sealed ${path}: is not what the base commit ${base.commit.slice(0, 12)} has`);
  return faults;
};

const checkCommit = async (
  git: Git,
  where: string,
  { commit, tree }: { commit: string; tree: string },
): Promise<string[]> => {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return [`${where}: ${commit} is not a commit`];
  const found = (await git.find(["rev-parse", "--verify", "--quiet", `${commit}^{tree}`]))?.trim();
  if (found === undefined) return [`${where}: the repository has no commit ${commit.slice(0, 12)}`];
  return found === tree
    ? []
    : [`${where}: commit ${commit.slice(0, 12)} has another tree in this repository`];
};

/** The commit that a receipt is about. */
export const subjectOf = ({ subject }: Statement): string => subject[0]?.digest.gitCommit ?? "";

const WORDS = ["complete", "complete (accepted)", "unverified", "refused"];

/**
 * Whether a verdict is what was asked for; `complete` is met by a person's word, too.
 * @throws AppError `usage` for a word that is none
 */
export const meets = (verdict: string, required: string): boolean => {
  if (!WORDS.includes(required))
    throw new AppError(
      "usage",
      `--require is ${JSON.stringify(required)}; it must be one of: ${WORDS.join(", ")}`,
    );
  return verdict === required || (required === "complete" && verdict === "complete (accepted)");
};
