// @module-tag long

import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { findMarked } from "../../core/process-tree.ts";
import { cancelJob } from "../../queue/change-job.ts";
import { jobMark } from "../../worker/state/lease.ts";
import { hasPostgres } from "../postgres/find-postgres.ts";
import { waitFor } from "../wait-for.ts";
import { COMMIT, DONE, usePools } from "./use-pools.ts";

describe.skipIf(!hasPostgres)("a pool whose repository does not answer", () => {
  const pools = usePools();

  const kinds = async (id: number) => (await pools.lab.events(id)).map(({ kind }) => kind);

  test("keeps a result in its outbox until it is pushed: over a killed pool, without another session, for no attempt", async () => {
    const repo = pools.lab.origin("atlas");
    const away = `${repo}.away`;
    pools.lab.worker("commits", [
      { steps: [COMMIT, { do: "waitForFile", file: join(pools.lab.root, "go") }, DONE] },
      {
        steps: [{ do: "run", command: "echo TWICE > work.txt && git add -A && git commit -qm twice" }, DONE],
      },
    ]);
    const { id } = await pools.lab.add({ worker: "commits", repo, maxAttempts: 1 });
    const killed = pools.lab.pool("a", { leaseSeconds: 60 });
    await pools.lab.until(id, "at work", ({ progress }) => progress?.session === 1);
    renameSync(repo, away);
    pools.lab.write("go", "");
    const waiting = await pools.lab.until(id, "in the outbox", ({ reason }) =>
      /not published yet/.test(reason ?? ""),
    );
    expect(waiting).toMatchObject({ state: "publishing", attempts: 0, verdict: "complete" });
    // Its slot is free meanwhile.
    const other = await pools.lab.add({ worker: "commits", dir: pools.lab.folder("plain"), isInPlace: true });
    await pools.lab.until(
      other.id,
      "at work",
      ({ state, endedAt }) => state === "running" || endedAt !== undefined,
    );
    await killed.kill();
    await pools.lab.endLeases("a");

    const next = pools.lab.pool("a");
    await waitFor("the next pool to take it over", () =>
      next.output().includes("its result is still to be published"),
    );
    expect((await pools.lab.task(id)).state).toBe("publishing");
    renameSync(away, repo);
    const done = await pools.lab.until(id, "complete", ({ state }) => state === "complete");
    expect(done).toMatchObject({ attempts: 0, token: waiting.token });
    expect(done.progress?.session).toBe(1);
    expect(pools.lab.git("atlas.git", "show", `${done.branch ?? ""}:work.txt`)).toBe("1\n");
    expect(await kinds(id)).toEqual(["added", "taken", "publishing", "complete"]);
    expect(await next.end("SIGTERM")).toBe(0);
  });

  test("leaves a refused result to the next pool of the host when it drains, and ends it when it is cancelled", async () => {
    const repo = pools.lab.origin("atlas");
    pools.lab.write("atlas.git/hooks/pre-receive", "#!/bin/sh\necho no pushes now >&2\nexit 1\n", 0o755);
    pools.lab.worker("commits", [{ steps: [COMMIT, DONE] }, { steps: [{ do: "hang" }] }]);
    const { id } = await pools.lab.add({ worker: "commits", repo });
    expect(await pools.lab.pool("a", { args: ["--until-idle"] }).end("SIGCONT")).toBe(0);
    const refused = await pools.lab.task(id);
    expect(refused).toMatchObject({ state: "publishing", attempts: 0 });
    expect(refused.reason).toContain("no pushes now");
    const pool = pools.lab.pool("a");
    await waitFor("it to be taken over", () => pool.output().includes("still to be published"));
    await cancelJob(pools.lab.queue, id, { isNow: false });
    await waitFor("the pool to hear of it", () => pool.output().includes("no longer to be published"));
    expect(await pools.lab.task(id)).toMatchObject({
      state: "cancelled",
      reason: "cancelled before its result was pushed; it is on a",
    });
    expect(pools.lab.read(`a/.nightshift/pool/work/${refused.runName ?? ""}/work.txt`)).toBe("1\n");
    expect(await pool.end("SIGTERM")).toBe(0);
  });

  test("keeps the tree of a failed task whose work cannot be pushed, and its reason says where that is", async () => {
    const repo = pools.lab.origin("atlas");
    pools.lab.write("atlas.git/hooks/pre-receive", "#!/bin/sh\necho no pushes now >&2\nexit 1\n", 0o755);
    const steps: ScriptedStep[] = [
      COMMIT,
      { do: "append", file: "half.txt", text: "half\n" },
      { do: "fail", message: "broken" },
    ];
    pools.lab.worker("fails", [{ steps }], { max: 1 });
    const { id } = await pools.lab.add({ worker: "fails", repo });
    expect(await pools.lab.pool("a", { args: ["--until-idle"] }).end("SIGCONT")).toBe(0);
    const task = await pools.lab.task(id);
    expect(task).toMatchObject({ state: "failed", runHost: "a" });
    expect(task.reason).toMatch(
      /its work stays in its tree on the host that did it: could not push: .*no pushes now/s,
    );
    const tree = `a/.nightshift/pool/work/${task.runName ?? ""}`;
    expect(pools.lab.read(`${tree}/work.txt`)).toBe("1\n");
    expect(pools.lab.git(tree, "show", "HEAD:work.txt")).toBe("1\n");
    expect(pools.lab.read(`${tree}/half.txt`)).toBe("half\n");
  });

  test("goes on with what a killed pool left uncommitted, although nothing can be fetched", async () => {
    const repo = pools.lab.origin("atlas");
    const away = `${repo}.away`;
    const hang: ScriptedStep = { do: "hang" };
    pools.lab.worker("long", [{ steps: [{ do: "run", command: "echo half > half.txt" }, hang] }]);
    const { id } = await pools.lab.add({ worker: "long", repo });
    const killed = pools.lab.pool("a", { leaseSeconds: 60 });
    await pools.lab.until(id, "at work", ({ progress }) => progress?.session === 1);
    const runName = `long-${id}-${pools.lab.queue.id.slice(0, 4)}`;
    await waitFor("its file", () => pools.lab.read(`a/.nightshift/pool/work/${runName}/half.txt`) !== "");
    await killed.kill();
    await pools.lab.endLeases("a");
    renameSync(repo, away);
    pools.lab.worker("long", [
      { steps: [{ do: "run", command: "test -f half.txt && git add -A && git commit -qm half" }, DONE] },
    ]);
    const next = pools.lab.pool("a");
    await pools.lab.until(id, "in the outbox", ({ reason }) => /not published yet/.test(reason ?? ""));
    renameSync(away, repo);
    const task = await pools.lab.until(id, "complete", ({ state }) => state === "complete");
    expect(pools.lab.git("atlas.git", "show", `${task.branch ?? ""}:half.txt`)).toBe("half\n");
    expect(task.attempts).toBe(1);
    expect(await next.end("SIGTERM")).toBe(0);
  });

  test("ends a git that never answers when its task is cancelled, when the pool drains, and at its deadline", async () => {
    pools.lab.worker("commits", [{ steps: [COMMIT, DONE] }]);
    pools.lab.env = { GIT_SSH_COMMAND: pools.lab.write("ssh", "#!/bin/sh\nsleep 100000\n", 0o755) };
    const repo = "ssh://git.example/atlas.git";
    const [first, second] = [
      await pools.lab.add({ worker: "commits", repo }),
      await pools.lab.add({ worker: "commits", repo }),
    ];
    const pool = pools.lab.pool("a", { slots: 2 });
    for (const { id } of [first, second])
      await pools.lab.until(id, "being prepared", ({ phase }) => phase === "preparing");
    await waitFor("ssh to hang", () =>
      [first, second].some(({ id }) => findMarked(jobMark(pools.lab.queue.id, id)).length > 1),
    );
    for (const { id } of [first, second]) await cancelJob(pools.lab.queue, id, { isNow: true });
    for (const { id } of [first, second])
      await pools.lab.until(id, "cancelled", ({ state }) => state === "cancelled");

    const third = await pools.lab.add({ worker: "commits", repo });
    await waitFor("ssh to hang again", () => findMarked(jobMark(pools.lab.queue.id, third.id)).length > 1);
    expect(await pool.end("SIGTERM")).toBe(0);
    expect(await pools.lab.task(third.id)).toMatchObject({ state: "ready", attempts: 0 });

    const hasty = pools.lab.pool("a", { args: ["--prepare-minutes", "0.02"] });
    const late = await pools.lab.until(third.id, "given back", ({ reason }) =>
      /not ready within/.test(reason ?? ""),
    );
    expect(late).toMatchObject({ state: "ready", attempts: 0 });
    expect(await hasty.end("SIGTERM")).toBe(0);
    expect(pools.lab.processes()).toEqual([]);
  });
});
