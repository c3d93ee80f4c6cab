import { join, relative } from "node:path";
import { isCode } from "../core/config/code-files.ts";
import { findConfigFile, findProjectRoot } from "../core/config/find-config.ts";
import { inheritTrust } from "../core/config/trust-record.ts";
import { type Git, readGitState } from "../core/git.ts";
import { isWithin } from "../core/is-within.ts";
import type { Case, InRoom } from "./case.ts";
import { type Confined, roomPlaces, withConfined } from "./confine.ts";
import type { GatesAnswer } from "./judge-ports.ts";
import { prepareRoom } from "./prepare-room.ts";
import { roomEnv } from "./room/room-env.ts";
import { runByOldRules } from "./run-by-old-rules.ts";
import { runGates } from "./run-gates.ts";
import type { Reason } from "./verdict.ts";

/** Makes the checkout ready, and runs in it what there is to run. */
export const runInRoom = (it: Case, git: Git, found: InRoom): Promise<GatesAnswer | undefined> => {
  const places = { ...found.room, top: it.place.top, objects: found.source.objects };
  return withConfined(it.ports, roomPlaces(it.ports.env, places), (confined) =>
    runConfined(it, git, { ...found, ...confined }),
  );
};

const runConfined = async (
  it: Case,
  git: Git,
  { env: given, confinement, ...found }: InRoom & Confined,
): Promise<GatesAnswer | undefined> => {
  const { ports, input, place } = it;
  const { tree, folder } = found.room;
  const env = roomEnv(given, { top: place.top, tree, folder });
  ports.onStep?.("preparing");
  const prepared = await prepareRoom(it, tree, { env, confinement });
  it.remarks.push(...prepared.how.map((how) => `prepared: ${how}`));
  if (prepared.problem !== undefined) {
    const message = `the clean checkout could not be made ready: ${prepared.problem}; say how: verify: { prepare: "…" }`;
    it.reasons.push({ kind: "prepare", weight: "undecided", message });
    return undefined;
  }
  trustAsBefore(ports.env, join(tree, place.prefix));
  const before = await readGitState(git, tree);
  const root = isWithin(input.gatesRoot, place.top)
    ? join(tree, relative(place.top, input.gatesRoot))
    : join(tree, place.prefix);
  const where = { dir: join(tree, place.prefix), root, env: { ...env, ...prepared.env }, confinement };
  const answer = await runGates(it, { ...where, rules: "head" });
  const after = await readGitState(git, tree);
  it.reasons.push(...weighState(before, after));
  if (answer.result === "healthy") await runByOldRules(it, git, { ...where, ...found });
  return answer;
};

/** A config that is code runs in the room where this user trusted the very same one in the project. */
const trustAsBefore = (env: Case["ports"]["env"], dir: string): void => {
  const path = findConfigFile(dir);
  if (path !== undefined && isCode(path)) inheritTrust(env, { root: findProjectRoot(dir), entries: [path] });
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
