import { errorText, AppError, isInterruption } from "../core/errors.ts";
import type { Git } from "../core/git.ts";
import { isPassing } from "../core/passing-failure.ts";
import type { Case } from "./case.ts";
import { withConfined } from "./confine.ts";
import { decideWord } from "./decide-word.ts";
import type { GatesAnswer, JudgeInput, JudgePorts, Judged } from "./judge-ports.ts";
import { checkContents, lookForCheats } from "./look-for-cheats.ts";
import { readTree } from "./read-tree.ts";
import { askForReview } from "./ask-for-review.ts";
import { findSource, judgingGit, makeRepository } from "./room/repository.ts";
import { openRoom, sweepRooms } from "./room/room.ts";
import { runGates } from "./run-gates.ts";
import { runInRoom } from "./run-in-room.ts";
import { compareTrees, findSealedChanges } from "./seal/changed-files.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Judges the commit that HEAD is at, by the rules of the seal: what the session did to them, then the gates in a
 * clean checkout outside of the project, then the base's tests on the new code. Undefined where there is no commit
 * to judge.
 * @throws AppError what passes by itself, and interruptions: nothing is known then
 */
export const judge = async (ports: JudgePorts, input: JudgeInput): Promise<Judged | undefined> => {
  const { git, clock } = ports;
  const startedAt = clock.elapsed();
  const at = new Date(clock.now()).toISOString();
  const { base, settings } = input.seal;
  const head = await findHead(judgingGit(input.dir, ports.env), input.commit);
  if (!head) return undefined;
  sweepRooms(ports.env);
  const it: Case = {
    ports,
    input,
    place: await findPlace(git),
    base,
    ...head,
    deadline: startedAt + settings.minutes * 60_000,
    runs: [],
    reasons: [],
    remarks: [],
  };
  const found = await inRoom(it);
  const verdict: Verdict = {
    word: decideWord(it.reasons),
    reasons: it.reasons,
    remarks: it.remarks,
    where: settings.where,
    sandbox: ports.confine?.kind ?? "none",
    at,
    durationMs: Math.round(clock.elapsed() - startedAt),
    ...(base ? { base } : {}),
    head: it.head,
    ...(it.branch === undefined ? {} : { branch: it.branch }),
    gates: it.runs,
    ...(it.tests ? { tests: it.tests } : {}),
    ...(it.review ? { review: it.review } : {}),
    sealed: input.seal.files.map(({ path, object }) => ({ path, digest: object })),
    changes: found.changes,
  };
  return { verdict, answer: found.answer };
};

const findHead = async (git: Git, of = "HEAD"): Promise<Pick<Case, "head" | "branch"> | undefined> => {
  const commit = (await git.find(["rev-parse", "--verify", "--quiet", `${of}^{commit}`]))?.trim();
  if (!commit) return undefined;
  const branch =
    of !== "HEAD"
      ? undefined
      : (await git.find(["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim() || undefined;
  return { head: { commit, tree: (await git.run(["rev-parse", `${commit}^{tree}`])).trim() }, branch };
};

const findPlace = async (git: Git): Promise<Case["place"]> => {
  const [top = "", prefix = ""] = (await git.run(["rev-parse", "--show-toplevel", "--show-prefix"])).split(
    "\n",
  );
  return { top, prefix };
};

type Found = { answer: GatesAnswer | undefined; changes: Verdict["changes"] };

const inRoom = async (it: Case): Promise<Found> => {
  const { ports, input, head, base, branch } = it;
  const { settings, refs } = input.seal;
  const room = openRoom(ports.env);
  try {
    ports.onStep?.("checking out");
    const source = await findSource(ports.git, input.dir);
    const isCheckedOut = settings.where === "clean";
    const repository = { tree: room.tree, source, commit: head.commit, branch, refs, isCheckedOut };
    const git = await orRefuse(it, makeRepository(ports.env, repository));
    if (!git) return { answer: undefined, changes: [] };
    if (base && (await git.find(["cat-file", "-e", `${base.commit}^{tree}`])) === undefined) {
      const message = `the commit that the work began at (${base.commit.slice(0, 12)}) is no longer in the repository`;
      it.reasons.push({ kind: "base", weight: "refused", message });
      return { answer: undefined, changes: [] };
    }
    const trees = { before: await readTree(git, base?.commit), after: await readTree(git, head.commit) };
    const changed = base ? compareTrees(trees.before, trees.after) : [];
    const changes = await findSealedChanges(git, {
      seal: input.seal,
      task: input.task,
      changes: changed,
      before: trees.before,
    });
    await lookForCheats(it, git, { changed, changes, trees });
    if (isCheckedOut) await checkContents(it, git, trees.after);
    if (decideWord(it.reasons) === "refused") return { answer: undefined, changes };
    const answer = isCheckedOut
      ? await runInRoom(it, git, { room, source, changed, changes, trees })
      : await withConfined(ports, { dir: input.dir, write: [], read: [] }, (confined) =>
          runGates(it, { dir: input.dir, root: input.gatesRoot, ...confined, rules: "head" }),
        );
    await askForReview(it, git, { source, answer });
    if (!isCheckedOut) it.remarks.push("the gates ran in the project's own folder (verify.where)");
    return { answer, changes };
  } finally {
    room.remove();
  }
};

/** An object store that a checkout cannot be made from says nothing for the work. */
const orRefuse = async (it: Case, made: Promise<Git>): Promise<Git | undefined> => {
  try {
    return await made;
  } catch (error) {
    if (!(error instanceof AppError) || isInterruption(error) || isPassing(error)) throw error;
    it.reasons.push({
      kind: "checkout",
      weight: "refused",
      message: `the commit cannot be checked out: ${errorText(error)}`,
    });
    return undefined;
  }
};
