import type { Git } from "../core/git.ts";
import type { Case, Looked } from "./case.ts";
import { weighChanges, weighStrength } from "./decide-word.ts";
import type { TreeEntry } from "./read-tree.ts";
import { findForged } from "./room/check-contents.ts";
import { judgingGit } from "./room/repository.ts";
import { withDiffs } from "./seal/show-diff.ts";
import { findHiding, findSideDoors } from "./seal/side-doors.ts";
import { findStrengthFindings } from "./strength/find-strength-findings.ts";
import type { Reason } from "./verdict.ts";

/** What the session did to the rules: all of it is found before a gate runs. */
export const lookForCheats = async (
  it: Case,
  git: Git,
  { changed, changes, trees }: Looked,
): Promise<void> => {
  const { ports, input, base, head } = it;
  const { seal } = input;
  if (!base) it.remarks.push("there was no commit at the start, so no file was sealed");
  else if ((await git.find(["merge-base", "--is-ancestor", base.commit, head.commit])) === undefined)
    it.remarks.push(
      "the base commit is not in the history of HEAD: it was rewritten, or another branch is checked out",
    );
  const reasons = [
    ...weighChanges(changes),
    ...(await findSideDoors(git, { seal, changes: changed, trees })),
    ...(await findHiding(judgingGit(input.dir, ports.env), seal)),
    ...(await findWeaker(it, git, changes)),
  ];
  const from = base?.commit ?? head.commit;
  it.reasons.push(...(await withDiffs(git, { base: from, head: head.commit }, reasons)));
};

/** Ways in which the check became weaker; what a sealed change says already is not said twice. */
const findWeaker = async (
  { base, head, input }: Case,
  git: Git,
  changes: Looked["changes"],
): Promise<Reason[]> => {
  if (!base) return [];
  const { mayChange } = input.seal.settings;
  const commits = { base: base.commit, head: head.commit };
  const found = await findStrengthFindings({ git }, { ...commits, mayChange, task: input.task });
  const told = new Set(changes.filter(({ isAllowed }) => !isAllowed).map(({ path }) => path));
  return weighStrength(
    found.filter(({ file }) => !told.has(file)),
    input.task,
  );
};

/** The rules in the checkout are what the commit says they are. */
export const checkContents = async (
  it: Case,
  git: Git,
  after: ReadonlyMap<string, TreeEntry>,
): Promise<void> => {
  const sealed = it.input.seal.files.flatMap(({ path }) => after.get(path) ?? []);
  it.reasons.push(...(await findForged(git, sealed)));
};
