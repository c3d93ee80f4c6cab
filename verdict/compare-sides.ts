import { join } from "node:path";
import type { Git } from "../core/git.ts";
import { nightshiftHome } from "../core/paths.ts";
import { type Case, type InRoom, leftMs } from "./case.ts";
import { type Confined, roomPlaces, withConfined } from "./confine.ts";
import { weighTests } from "./decide-word.ts";
import { prepareRoom } from "./prepare-room.ts";
import { makeRepository } from "./room/repository.ts";
import { type Room, openRoom } from "./room/room.ts";
import { roomEnv } from "./room/room-env.ts";
import { type ComparePorts, type TestComparison, compareTests } from "./strength/compare-tests.ts";
import { listTestRunners } from "./strength/run/test-runners.ts";

const PROSE = /\.(?:md|mdx|txt|rst|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG)[^/]*$/;

/**
 * Runs the tests of the base and of the new code side by side, where their runner is known. Prose changes no test.
 */
export const compareSides = async (it: Case, git: Git, found: InRoom & Confined): Promise<void> => {
  const { ports, input, base, place } = it;
  const { settings } = input.seal;
  const headRoom = join(found.room.tree, place.prefix);
  if (!base || found.changed.every(({ path }) => PROSE.test(path))) return;
  if (listTestRunners(headRoom).length === 0) return;
  ports.onStep?.("comparing the tests with those of the base");
  const room = openRoom(ports.env);
  try {
    const { tree } = room;
    const { refs } = input.seal;
    const checkout = { tree, source: found.source, branch: undefined, refs, isCheckedOut: true };
    await makeRepository(ports.env, { ...checkout, commit: base.commit });
    const places = roomPlaces(ports.env, { ...room, top: place.top, objects: found.source.objects });
    const compared = await withConfined(ports, places, (confined) =>
      runBoth(it, git, { ...found, baseRoom: room, confined }),
    );
    if (!compared) return;
    const { broken, added, problems } = compared;
    it.tests = {
      runners: compared.runners,
      base: compared.base,
      head: compared.head,
      broken: broken.map(({ name }) => name),
      provingNothing: added.filter(({ onBase }) => onBase === "passed").map(({ name }) => name),
    };
    const changed = new Set(found.changed.map(({ path }) => path));
    it.reasons.push(...weighTests(compared, { changed, newTestsMustFail: settings.newTestsMustFail }));
    it.remarks.push(...problems.map((problem) => `tests: ${problem}`));
  } finally {
    room.remove();
  }
};

type Both = InRoom & Confined & { baseRoom: Room; confined: Confined };

/** Each side's tests see and write the room of their own side. */
const runBoth = async (
  it: Case,
  git: Git,
  { baseRoom, confined, ...found }: Both,
): Promise<TestComparison | undefined> => {
  const { ports, input, base, head, place } = it;
  const { settings } = input.seal;
  const { tree, folder } = baseRoom;
  const { confinement } = confined;
  const env = roomEnv(confined.env, { top: place.top, tree, folder });
  const prepared = await prepareRoom(it, tree, { env, confinement });
  if (prepared.problem !== undefined || !base) {
    it.remarks.push(`the tests of the base could not be run: ${prepared.problem ?? "it has no commit"}`);
    return undefined;
  }
  const compare: ComparePorts = {
    env: found.env,
    confinement: found.confinement,
    scratch: found.room.folder,
    onBase: { env: { ...env, ...prepared.env }, confinement, scratch: folder },
    signal: ports.signal,
    git,
    clock: ports.clock,
  };
  return compareTests(compare, {
    baseRoom: join(tree, place.prefix),
    headRoom: join(found.room.tree, place.prefix),
    base: base.commit,
    head: head.commit,
    mayChange: settings.mayChange,
    cacheFolder: join(nightshiftHome(ports.env), "base-tests"),
    timeoutMs: leftMs(it),
  });
};
