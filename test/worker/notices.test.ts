// @module-tag long
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { type Provider, startProvider } from "../../notify/fixtures/provider.ts";
import { createNotify } from "../../notify/notify.ts";
import { listWaiting, outboxFolder } from "../../notify/outbox.ts";
import { eventually } from "../eventually.ts";
import { HANG, WorkerLab, say } from "./worker-lab.ts";

// What a person is told, by real supervisors, the steerer and a real process that sends.

const fail = (problem: string): never => expect.fail(problem);
let lab: WorkerLab;
let provider: Provider;
const nightshift = () => join(lab.home, ".nightshift");
beforeEach(async () => {
  lab = new WorkerLab();
  provider = await startProvider();
  mkdirSync(nightshift(), { recursive: true });
  const channels = { phone: { type: "webhook", url: provider.url } };
  writeFileSync(join(nightshift(), "notify.json"), JSON.stringify({ channels }), { mode: 0o600 });
});
afterEach(async () => {
  await lab.dispose();
  await provider.stop();
});

type Told = { happening: string; worker?: string };
const told = (): string[] =>
  provider.received
    .flatMap(({ body }) => body["notices"] as Told[])
    .map(({ happening, worker }) => [happening, worker ?? ""].join(" ").trim());

test("a worker that ends tells its person, with no server anywhere; two tell that all are done", async () => {
  const other = join(lab.folder, "other");
  lab.makeRepository(other);
  const go: ScriptedStep = { do: "waitForFile", file: "../go" };
  lab.play({ parts: [{ steps: [say("up"), go, say("DONE: nothing to do")] }] });
  lab.play({ parts: [{ steps: [say("DONE: nothing to do")] }] }, {}, other);
  await lab.start("docs", "--max", "1");
  const started = await lab.run(
    "worker",
    ["start", "api", "--agent", "scripted", "--task", "t", "--max", "1"],
    {
      cwd: other,
    },
  );
  expect(started.code).toBe(0);
  await lab.ended("api");
  writeFileSync(join(lab.folder, "go"), "");
  await eventually(() =>
    told()
      .map((line) => line.split(" ")[1] ?? line)
      .toSorted(),
  ).toEqual(["all-done", "api", "docs"]);
  await eventually(() => listWaiting(outboxFolder(nightshift()))).toEqual([]);
});

test("a sender that is killed half-way loses nothing: the next one goes on", async () => {
  const notify = createNotify({ home: nightshift(), now: Date.now, onProblem: fail, start: () => {} }, {});
  for (const title of ["one", "two", "three"]) notify({ happening: "failed", title, text: "" });
  const program = resolve(import.meta.dirname, "../../dist/scripts/send-notices.js");
  const send = () => spawn(process.execPath, [program], { env: lab.env, stdio: "ignore" });
  const killed = send();
  provider.answers.push({ status: 503 });
  provider.onRequest = () => killed.kill("SIGKILL");
  await new Promise((resolve) => killed.once("exit", resolve));
  delete provider.onRequest;
  expect(listWaiting(outboxFolder(nightshift()))).toHaveLength(3);
  provider.received.length = 0;
  const next = send();
  await new Promise((resolve) => next.once("exit", resolve));
  expect(provider.received.map(({ body }) => body["title"])).toEqual(["3 things happened: 3 failed"]);
  expect(listWaiting(outboxFolder(nightshift()))).toEqual([]);
});

test("a supervisor that is killed and stays dead is told of by the steerer", async () => {
  lab.play(HANG, { steerer: { policies: { restart: false } } });
  await lab.start("docs");
  await lab.hasSaid("docs", "up");
  process.kill(lab.state("docs")?.supervisor.pid ?? 0, "SIGKILL");
  const { code } = await lab.run("steerer", ["--once"]);
  expect(code).toBe(1); // a worker needs a person
  await eventually(told).toEqual(["silent docs"]);
});

test("notify test says of each channel whether it took the message", async () => {
  const channels = {
    phone: { type: "webhook", url: provider.url },
    team: { type: "webhook", url: "http://127.0.0.1:9" },
  };
  writeFileSync(join(nightshift(), "notify.json"), JSON.stringify({ channels }), { mode: 0o600 });
  const { code, out } = await lab.run("nightshift", ["notify", "test"]);
  expect(code).toBe(1);
  expect(out).toMatch(/sent to phone[\s\S]*not sent to team: 127\.0\.0\.1:9 cannot be reached/);
  const { err, code: unknown } = await lab.run("nightshift", ["notify", "test", "pager"]);
  expect(unknown).toBe(64);
  expect(err).toContain("there is no channel pager; there are: phone, team");
});
