import { join, relative } from "node:path";
import { AppError, errorText, isInterruption } from "../core/errors.ts";
import { type Git, readGitState } from "../core/git.ts";
import { isWithin } from "../core/is-within.ts";
import { isPassing } from "../core/passing-failure.ts";
import { decideWord, weighBaseTests, weighChanges, weighGates } from "./decide-word.ts";
import type { GatesAnswer, JudgeInput, JudgePorts, Judged } from "./judge-ports.ts";
import { findForged } from "./room/check-contents.ts";
import { prepareTree } from "./room/prepare.ts";
import { findSource, judgingGit, makeRepository } from "./room/repository.ts";
import { openRoom, sweepRooms } from "./room/room.ts";
import { roomEnv } from "./room/room-env.ts";
import { type Change, compareTrees, findChangedTests, findSealedChanges } from "./seal/changed-files.ts";
import { type TreeEntry, readTree } from "./read-tree.ts";
import type { Seal } from "./seal/seal.ts";
import { withDiffs } from "./seal/show-diff.ts";
import { findHiding, findSideDoors } from "./seal/side-doors.ts";
import type { GateRules, GateRun, Reason, Verdict } from "./verdict.ts";

/** Everything a step needs; the findings are collected on the way. */
type Case = {
  ports: JudgePorts;
  input: JudgeInput;
  place: { top: string; prefix: string };
  /** undefined where there was no commit at the start: then nothing of it was sealed */
  base: Seal["base"];
  head: { commit: string; tree: string };
  branch: string | undefined;
  deadline: number;
  runs: GateRun[];
  reasons: Reason[];
  remarks: string[];
};

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
    at,
    durationMs: Math.round(clock.elapsed() - startedAt),
    ...(base ? { base } : {}),
    head: it.head,
    ...(it.branch === undefined ? {} : { branch: it.branch }),
    gates: it.runs,
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
      const message = `the commit that the work began at (${base.commit.slice(0, 12)}) is not in the repository any more`;
      it.reasons.push({ kind: "base", weight: "refused", message });
      return { answer: undefined, changes: [] };
    }
    const trees = { before: await readTree(git, base?.commit), after: await readTree(git, head.commit) };
    const changed = base ? compareTrees(trees.before, trees.after) : [];
    const changes = await findSealedChanges(git, { seal: input.seal, task: input.task, changes: changed });
    await lookForCheats(it, git, { changed, changes });
    if (isCheckedOut) await checkContents(it, git, trees.after);
    if (decideWord(it.reasons) === "refused") return { answer: undefined, changes };
    const answer = isCheckedOut
      ? await runInRoom(it, git, { room, changed, changes, trees })
      : await runGates(it, { dir: input.dir, root: input.gatesRoot, env: ports.env, rules: "head" });
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

type Looked = { changed: readonly Change[]; changes: Verdict["changes"] };

const lookForCheats = async (it: Case, git: Git, { changed, changes }: Looked): Promise<void> => {
  const { ports, input, base, head } = it;
  const { seal } = input;
  if (!base) it.remarks.push("there was no commit at the start, so no file was sealed");
  else if ((await git.find(["merge-base", "--is-ancestor", base.commit, head.commit])) === undefined)
    it.remarks.push(
      "the base commit is not in the history of HEAD: it was rewritten, or another branch is checked out",
    );
  const reasons = [
    ...weighChanges(changes),
    ...(await findSideDoors(git, { seal, changes: changed })),
    ...(await findHiding(judgingGit(input.dir, ports.env), seal)),
  ];
  const from = base?.commit ?? head.commit;
  it.reasons.push(...(await withDiffs(git, { base: from, head: head.commit }, reasons)));
};

const checkContents = async (it: Case, git: Git, after: ReadonlyMap<string, TreeEntry>): Promise<void> => {
  const sealed = it.input.seal.files.flatMap(({ path }) => after.get(path) ?? []);
  for (const path of await findForged(git, sealed))
    it.reasons.push({
      kind: "forged",
      weight: "refused",
      file: path,
      message: "has another content than its name in git says; the object store was written to by hand",
    });
};

type RoomInput = Looked & {
  room: { tree: string; folder: string };
  trees: { before: ReadonlyMap<string, TreeEntry> };
};

const runInRoom = async (it: Case, git: Git, found: RoomInput): Promise<GatesAnswer | undefined> => {
  const { ports, input, place } = it;
  const { tree, folder } = found.room;
  const { seal } = input;
  const env = roomEnv(ports.env, { top: place.top, tree, folder });
  ports.onStep?.("preparing");
  const prepared = await prepareTree(
    { env, signal: ports.signal },
    {
      tree,
      top: place.top,
      prefix: place.prefix,
      command: seal.settings.prepare,
      folders: seal.folders,
      timeoutMs: leftMs(it),
    },
  );
  it.remarks.push(...prepared.how.map((how) => `prepared: ${how}`));
  if (prepared.problem !== undefined) {
    const message = `the clean checkout could not be made ready: ${prepared.problem}; say how: verify: { prepare: "…" }`;
    it.reasons.push({ kind: "prepare", weight: "undecided", message });
    return undefined;
  }
  const before = await readGitState(git, tree);
  const root = isWithin(input.gatesRoot, place.top)
    ? join(tree, relative(place.top, input.gatesRoot))
    : join(tree, place.prefix);
  const where = { dir: join(tree, place.prefix), root, env };
  const answer = await runGates(it, { ...where, rules: "head" });
  const after = await readGitState(git, tree);
  it.reasons.push(...weighState(before, after));
  if (answer.result === "healthy") await runByOldRules(it, git, { ...where, ...found });
  return answer;
};

type State = Awaited<ReturnType<typeof readGitState>>;

/** What the gates did to the checkout: a check leaves what it checks as it was. */
const weighState = (before: State, after: State): Reason[] => {
  if (!after || after.head !== before?.head || after.branch !== before?.branch)
    return [
      {
        kind: "moved",
        weight: "refused",
        message:
          "HEAD or the branch moved while the gates ran, so nothing is known of what is there now; nothing may commit or switch while gates run",
      },
    ];
  const known = new Set(before?.changed.map(({ path }) => path));
  const left = after.changed.map(({ path }) => path).filter((path) => !known.has(path));
  if (left.length === 0) return [];
  const message = `the gates left this uncommitted behind, so the work is not done: ${left.slice(0, 20).join(", ")}. Make them clean up after themselves, or let git ignore what they write.`;
  return [{ kind: "left behind", weight: "refused", message }];
};

type OldRules = RoomInput & { dir: string; root: string; env: Record<string, string> };

/** The tests and the gates that the session changed, as the base had them, on the new code. */
const runByOldRules = async (it: Case, git: Git, found: OldRules): Promise<void> => {
  const { seal } = it.input;
  const tests = findChangedTests(found.changed, seal);
  if (tests.length > 0) {
    const answer = await runWith(it, git, { ...found, entries: tests, rules: "base tests" });
    it.reasons.push(
      ...weighBaseTests(
        answer,
        tests.map(({ path }) => path),
      ),
    );
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

type Overlay = OldRules & { entries: readonly TreeEntry[]; rules: GateRules };

const AUTHOR = [
  "-c",
  "user.name=Nightshift",
  "-c",
  "user.email=nightshift@localhost",
  "-c",
  "commit.gpgSign=false",
];

/** The gates with some files as the base had them; committed in the room, so that its tree is clean. */
const runWith = async (it: Case, git: Git, { entries, rules, ...where }: Overlay): Promise<GatesAnswer> => {
  it.ports.onStep?.(`gates, with the ${rules.slice(5)} of the base`);
  await git.run(["reset", "--hard", "--quiet", it.head.commit]);
  const paths = entries.map(({ path }) => `:(literal)${path}`);
  await git.run(["checkout", "--quiet", it.base?.commit ?? "HEAD", "--", ...paths]);
  const forged = await findForged(git, entries);
  if (forged.length > 0) {
    const message = "has another content than its name in git says; the object store was written to by hand";
    it.reasons.push({ kind: "forged", weight: "refused", file: forged[0] ?? "", message });
  }
  await git.run([...AUTHOR, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", `With the ${rules}`]);
  return runGates(it, { ...where, rules, isOld: true });
};

const leftMs = ({ deadline, ports }: Case): number => Math.max(1_000, deadline - ports.clock.elapsed());

type Run = {
  dir: string;
  root: string;
  env: Readonly<Record<string, string>>;
  rules: GateRules;
  isOld?: boolean;
};

const runGates = async (it: Case, { dir, root, env, rules, isOld = false }: Run): Promise<GatesAnswer> => {
  const { ports, input } = it;
  if (!isOld) ports.onStep?.("gates");
  const answer = await ports.runGates({
    dir,
    root,
    declared: input.seal.declared,
    env,
    timeoutMs: Math.min(input.gateTimeoutMs, leftMs(it)),
    signal: ports.signal,
  });
  it.runs.push(...answer.runs.map((run) => ({ ...run, rules })));
  if (!isOld) it.reasons.push(...weighGates(answer, input.seal.settings.where));
  return answer;
};
