// @module-tag long

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../../core/process-identity.ts";
import { listLiveMarks } from "../../core/process-tree.ts";
import type { ListedWorker } from "../../worker/state/worker-store.ts";
import { listWorkers } from "../../worker/state/worker-store.ts";
import { FINISH, Night } from "./night.ts";

const COUNT = Number(process.env["NIGHTSHIFT_WORKERS"] ?? 50);
const WORKER = resolve(import.meta.dirname, "../../dist/scripts/worker.js");
const AT_ONCE = 8;

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

test(`${COUNT} workers in ${COUNT} directories at the same time: all complete, no process and no lock is left`, async () => {
  const names = Array.from({ length: COUNT }, (_, index) => `w${String(index + 1).padStart(2, "0")}`);
  const requests = [];
  for (const name of names)
    requests.push(
      await night.plan({
        name,
        health: "exit 0",
        parts: [{ steps: [{ do: "waitForFile", file: "../go/on" }, ...FINISH] }],
      }),
    );
  for (let index = 0; index < COUNT; index += AT_ONCE)
    await Promise.all(requests.slice(index, index + AT_ONCE).map((request) => night.start(request)));
  await night.until("every agent at work", () =>
    listWorkers(night.home).workers.every(({ sessions }) => sessions[0]?.conversationId !== undefined),
  );
  const listed = spawnSync(process.execPath, [WORKER, "list", "--json"], {
    env: night.env,
    encoding: "utf8",
  });
  const workers = JSON.parse(listed.stdout) as ListedWorker[];
  expect(workers.map(({ name, shown }) => [name, shown])).toEqual(names.map((name) => [name, "running"]));

  night.write("go/on", "");
  await night.until("every worker's end", () =>
    listWorkers(night.home).workers.every(({ supervisor }) => !isAlive(supervisor)),
  );
  const ended = listWorkers(night.home).workers;
  expect(ended.map(({ shown }) => shown)).toEqual(names.map(() => "complete"));
  const live = listLiveMarks();
  expect(ended.flatMap(({ sessions }) => sessions).filter(({ mark }) => live.has(mark))).toEqual([]);
  const locks = names.flatMap((name) =>
    [join(night.root, name, ".git/nightshift"), night.files(name).folder].flatMap((folder) =>
      readdirSync(folder).filter((file) => file.includes(".lock")),
    ),
  );
  expect(locks).toEqual([]);
});
