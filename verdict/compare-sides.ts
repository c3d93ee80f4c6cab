import { join } from "node:path";
import type { Git } from "../core/git.ts";
import { nightshiftHome } from "../core/paths.ts";
import { type Case, type InRoom, leftMs } from "./case.ts";
import { weighTests } from "./decide-word.ts";
import { prepareTree } from "./room/prepare.ts";
import { makeRepository } from "./room/repository.ts";
import { openRoom } from "./room/room.ts";
import { roomEnv } from "./room/room-env.ts";
import { type ComparePorts, compareTests } from "./strength/compare-tests.ts";
import { listTestRunners } from "./strength/run/test-runners.ts";

const PROSE = /\.(?:md|mdx|txt|rst|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG)[^/]*$/;

/**
 * Runs the tests of the base and of the new code side by side, where their runner is known. Prose changes no test.
 */
export const compareSides = async (it: Case, git: Git, found: InRoom): Promise<void> => {
  const { ports, input, base, head, place } = it;
  const { settings } = input.seal;
  const headRoom = join(found.room.tree, place.prefix);
  if (!base || found.changed.every(({ path }) => PROSE.test(path))) return;
  if (listTestRunners(headRoom).length === 0) return;
  ports.onStep?.("comparing the tests with those of the base");
  const room = openRoom(ports.env);
  try {
    const { tree } = room;
    const checkout = {
      tree,
      source: found.source,
      branch: undefined,
      refs: input.seal.refs,
      isCheckedOut: true,
    };
    await makeRepository(ports.env, { ...checkout, commit: base.commit });
    const envOf = (of: typeof room) =>
      roomEnv(ports.env, { top: place.top, tree: of.tree, folder: of.folder });
    const prepared = await prepareTree(
      { env: envOf(room), signal: ports.signal },
      {
        tree,
        top: place.top,
        prefix: place.prefix,
        command: settings.prepare,
        folders: input.seal.folders,
        timeoutMs: leftMs(it),
      },
    );
    if (prepared.problem !== undefined) {
      it.remarks.push(`the tests of the base could not be run: ${prepared.problem}`);
      return;
    }
    const compare: ComparePorts = { env: envOf(found.room), signal: ports.signal, git, clock: ports.clock };
    const compared = await compareTests(compare, {
      baseRoom: join(tree, place.prefix),
      headRoom,
      base: base.commit,
      head: head.commit,
      mayChange: settings.mayChange,
      cacheFolder: join(nightshiftHome(ports.env), "base-tests"),
      timeoutMs: leftMs(it),
    });
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
