import type { Git } from "../core/git.ts";
import type { Case, InRoom } from "./case.ts";
import type { Confined } from "./confine.ts";
import { compareSides } from "./compare-sides.ts";
import { weighBaseTests } from "./decide-word.ts";
import type { GatesAnswer } from "./judge-ports.ts";
import type { TreeEntry } from "./read-tree.ts";
import { findForged } from "./room/check-contents.ts";
import { AUTHOR } from "./receipt/write-receipt.ts";
import { runGates } from "./run-gates.ts";
import { findChangedTests } from "./seal/changed-files.ts";
import type { GateRules } from "./verdict.ts";

export type OldRules = InRoom & Confined & { dir: string; root: string };

/** The tests and the gates that the session changed, as the base had them, on the new code. */
export const runByOldRules = async (it: Case, git: Git, found: OldRules): Promise<void> => {
  const { seal } = it.input;
  await compareSides(it, git, found);
  const { changed, added } = findChangedTests(found.changed, seal);
  if (changed.length > 0) {
    const tests = { entries: changed, without: added, rules: "base tests" } as const;
    const answer = await runWith(it, git, { ...found, ...tests });
    const paths = changed.map(({ path }) => path);
    it.reasons.push(...weighBaseTests(answer, paths));
  }
  const gates = found.changes
    .filter(({ isAllowed }) => isAllowed)
    .flatMap(({ path }) => found.trees.before.get(path) ?? []);
  if (gates.length === 0) return;
  const answer = await runWith(it, git, { ...found, entries: gates, rules: "base gates" });
  const names = gates.map(({ path }) => path).join(", ");
  it.remarks.push(
    `changed as the config allowed: ${names}; as the base had them the gates are ${answer.result}`,
  );
};

type Overlay = OldRules & {
  entries: readonly TreeEntry[];
  /** what the base did not have: a test that only moved would stand there twice */
  without?: readonly TreeEntry[];
  rules: GateRules;
};

/** The gates with some files as the base had them; committed in the room, so that its tree is clean. */
const runWith = async (
  it: Case,
  git: Git,
  { entries, without = [], rules, ...where }: Overlay,
): Promise<GatesAnswer> => {
  it.ports.onStep?.(`gates, with the ${rules.slice(5)} of the base`);
  await git.run(["reset", "--hard", "--quiet", it.head.commit]);
  const pathsOf = (files: readonly TreeEntry[]): string[] => files.map(({ path }) => `:(literal)${path}`);
  if (without.length > 0) await git.run(["rm", "--quiet", "--force", "--", ...pathsOf(without)]);
  await git.run(["checkout", "--quiet", it.base?.commit ?? "HEAD", "--", ...pathsOf(entries)]);
  it.reasons.push(...(await findForged(git, entries)).slice(0, 1));
  const commit = ["-c", "commit.gpgSign=false", "commit", "--quiet", "--allow-empty", "--no-verify"];
  await git.run([...commit, "-m", `With the ${rules}`], { env: AUTHOR });
  return runGates(it, { ...where, rules, isOld: true });
};
