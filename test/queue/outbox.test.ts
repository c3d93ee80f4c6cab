// @module-tag long

import { renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { createSilentLog } from "../../core/log.ts";
import { findMarked } from "../../core/process-tree.ts";
import { cancelTask } from "../../queue/change-task.ts";
import { openQueue } from "../../queue/open-queue.ts";
import { taskMark } from "../../worker/state/lease.ts";
import { hasPostgres } from "../postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../postgres/start-postgres.ts";
import { waitFor } from "../wait-for.ts";
import { QueueLab } from "./queue-lab.ts";

const COMMIT: ScriptedStep = {
  do: "run",
  command: "echo $NIGHTSHIFT_SESSION >> work.txt && git add -A && git commit -qm line",
};
const DONE: ScriptedStep = { do: "say", text: "DONE: played" };

describe.skipIf(!hasPostgres)("a pool whose repository does not answer", () => {
  let server: TestPostgres;
  let template: string;
  let lab: QueueLab;
  beforeAll(async () => {
    server = await startPostgres();
    template = await server.createTemplate(async (url) => {
      await (await openQueue({ url, poolSize: 1, waitMs: 5_000 }, { log: createSilentLog() })).close();
    });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    lab = await QueueLab.open(await server.createDatabase(template));
  });
  afterEach(() => lab.close());

  const kinds = async (id: number) => (await lab.events(id)).map(({ kind }) => kind);

  test("keeps a result in its outbox until it is pushed: over a killed pool, without another session, for no attempt", async () => {
    const repo = lab.origin("atlas");
    const away = `${repo}.away`;
    lab.worker("commits", [
      { steps: [COMMIT, { do: "waitForFile", file: join(lab.root, "go") }, DONE] },
      {
        steps: [{ do: "run", command: "echo TWICE > work.txt && git add -A && git commit -qm twice" }, DONE],
      },
    ]);
    const { id } = await lab.add({ worker: "commits", repo, maxAttempts: 1 });
    const killed = lab.pool("a", { leaseSeconds: 3 });
    await lab.until(id, "at work", ({ progress }) => progress?.session === 1);
    renameSync(repo, away);
    lab.write("go", "");
    const waiting = await lab.until(id, "in the outbox", ({ reason }) =>
      /not published yet/.test(reason ?? ""),
    );
    expect(waiting).toMatchObject({ state: "publishing", attempts: 0, verdict: "complete" });
    // Its slot is free meanwhile.
    const other = await lab.add({ worker: "commits", dir: lab.folder("plain"), isInPlace: true });
    await lab.until(
      other.id,
      "at work",
      ({ state, endedAt }) => state === "running" || endedAt !== undefined,
    );
    await killed.kill();

    const next = lab.pool("a", { leaseSeconds: 3 });
    await waitFor("the next pool to take it over", () =>
      next.output().includes("its result is still to be published"),
    );
    expect((await lab.task(id)).state).toBe("publishing");
    renameSync(away, repo);
    const done = await lab.until(id, "complete", ({ state }) => state === "complete");
    expect(done).toMatchObject({ attempts: 0, token: waiting.token });
    expect(done.progress?.session).toBe(1);
    expect(lab.git("atlas.git", "show", `${done.branch ?? ""}:work.txt`)).toBe("1\n");
    expect(await kinds(id)).toEqual(["added", "taken", "publishing", "complete"]);
    expect(await next.end("SIGTERM")).toBe(0);
  });

  test("leaves a refused result to the next pool of the host when it drains, and ends it when it is cancelled", async () => {
    const repo = lab.origin("atlas");
    lab.write("atlas.git/hooks/pre-receive", "#!/bin/sh\necho no pushes now >&2\nexit 1\n", 0o755);
    lab.worker("commits", [{ steps: [COMMIT, DONE] }, { steps: [{ do: "hang" }] }]);
    const { id } = await lab.add({ worker: "commits", repo });
    expect(await lab.pool("a", { args: ["--until-idle"] }).end("SIGCONT")).toBe(0);
    const refused = await lab.task(id);
    expect(refused).toMatchObject({ state: "publishing", attempts: 0 });
    expect(refused.reason).toContain("no pushes now");
    const pool = lab.pool("a");
    await waitFor("it to be taken over", () => pool.output().includes("still to be published"));
    await cancelTask(lab.queue, id, { isNow: false });
    await waitFor("the pool to hear of it", () => pool.output().includes("no longer to be published"));
    expect(await lab.task(id)).toMatchObject({
      state: "cancelled",
      reason: "cancelled before its result was pushed; it is on a",
    });
    expect(lab.read(`a/.nightshift/pool/work/${refused.runName ?? ""}/work.txt`)).toBe("1\n");
    expect(await pool.end("SIGTERM")).toBe(0);
  });

  test("goes on with what a killed pool left uncommitted, although nothing can be fetched", async () => {
    const repo = lab.origin("atlas");
    const away = `${repo}.away`;
    const hang: ScriptedStep = { do: "hang" };
    lab.worker("long", [{ steps: [{ do: "run", command: "echo half > half.txt" }, hang] }]);
    const { id } = await lab.add({ worker: "long", repo });
    const killed = lab.pool("a", { leaseSeconds: 3 });
    await lab.until(id, "at work", ({ progress }) => progress?.session === 1);
    const runName = `long-${id}-${lab.queue.id.slice(0, 4)}`;
    await waitFor("its file", () => lab.read(`a/.nightshift/pool/work/${runName}/half.txt`) !== "");
    await killed.kill();
    renameSync(repo, away);
    lab.worker("long", [
      { steps: [{ do: "run", command: "test -f half.txt && git add -A && git commit -qm half" }, DONE] },
    ]);
    const next = lab.pool("a", { leaseSeconds: 3 });
    await lab.until(id, "in the outbox", ({ reason }) => /not published yet/.test(reason ?? ""));
    renameSync(away, repo);
    const task = await lab.until(id, "complete", ({ state }) => state === "complete");
    expect(lab.git("atlas.git", "show", `${task.branch ?? ""}:half.txt`)).toBe("half\n");
    expect(task.attempts).toBe(1);
    expect(await next.end("SIGTERM")).toBe(0);
  });

  test("ends a git that never answers when its task is cancelled, when the pool drains, and at its deadline", async () => {
    lab.worker("commits", [{ steps: [COMMIT, DONE] }]);
    lab.env = { GIT_SSH_COMMAND: lab.write("ssh", "#!/bin/sh\nsleep 100000\n", 0o755) };
    const repo = "ssh://git.example/atlas.git";
    const [first, second] = [
      await lab.add({ worker: "commits", repo }),
      await lab.add({ worker: "commits", repo }),
    ];
    const pool = lab.pool("a", { slots: 2 });
    for (const { id } of [first, second])
      await lab.until(id, "being prepared", ({ phase }) => phase === "preparing");
    await waitFor("ssh to hang", () =>
      [first, second].some(({ id }) => findMarked(taskMark(lab.queue.id, id)).length > 1),
    );
    for (const { id } of [first, second]) await cancelTask(lab.queue, id, { isNow: true });
    for (const { id } of [first, second])
      await lab.until(id, "cancelled", ({ state }) => state === "cancelled");

    const third = await lab.add({ worker: "commits", repo });
    await waitFor("ssh to hang again", () => findMarked(taskMark(lab.queue.id, third.id)).length > 1);
    expect(await pool.end("SIGTERM")).toBe(0);
    expect(await lab.task(third.id)).toMatchObject({ state: "ready", attempts: 0 });

    const hasty = lab.pool("a", { args: ["--prepare-minutes", "0.02"] });
    const late = await lab.until(third.id, "given back", ({ reason }) =>
      /not ready within/.test(reason ?? ""),
    );
    expect(late).toMatchObject({ state: "ready", attempts: 0 });
    expect(await hasty.end("SIGTERM")).toBe(0);
    expect(lab.processes()).toEqual([]);
  });
});
