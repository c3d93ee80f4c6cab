// @module-tag long

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { systemClock } from "../../core/clock.ts";
import { type MemoryServer, startMemoryServer } from "../../server/memory/fixtures/start-memory-server.ts";
import { runRound } from "../../worker/steerer/round.ts";
import { type SteerEvent, openSteerLog } from "../../worker/steerer/steer-log.ts";
import { steerSettings } from "../../worker/steerer/steer-settings.ts";
import { Night } from "./night.ts";

let night: Night;
let memory: MemoryServer;
let told: SteerEvent[] = [];
beforeEach(async () => {
  night = new Night();
  memory = await startMemoryServer();
  told = [];
});
afterEach(async () => {
  await memory.stop();
  await night.dispose();
});

const round = async (): Promise<void> => {
  const settings = steerSettings({ dirs: [night.root] }, night.loaded(), { env: night.env, cwd: night.root });
  const log = openSteerLog(
    { home: night.home, now: Date.now, onEvent: (event) => told.push(event) },
    { isDryRun: false },
  );
  const ports = { clock: systemClock, env: night.env, fetch, home: night.home, log };
  await runRound(ports, { ...settings, memory: { url: memory.url, keyFile: memory.keyFile } });
};
const types = () => told.map(({ type }) => type);
const learnings = async () =>
  (await memory.ask("GET", "/learnings?limit=50")).json.learnings.toSorted((a, b) =>
    a.type.localeCompare(b.type),
  );

const GATE = `if [ -f fixed ]; then exit 0; fi; echo running 7 checks; echo "src/a.ts(3,4): error TS2322: no"; exit 1`;
const FIX: ScriptedStep[] = [
  { do: "run", command: "touch fixed && git add -A && git commit -qm 'widen the type'" },
  { do: "say", text: "DONE: fixed" },
];

test("each kind of error is stored once as a failure, with the session that cured it as what avoids it", async () => {
  const request = await night.plan({
    health: GATE,
    parts: [
      {
        steps: [
          { do: "append", file: "a.txt", text: "x\n" },
          { do: "fail", message: "cannot reach port 4411" },
        ],
      },
      {
        steps: [
          { do: "append", file: "a.txt", text: "y\n" },
          { do: "fail", message: "cannot reach port 4412" },
        ],
      },
      { steps: FIX },
    ],
  });
  expect(await night.run(request)).toMatchObject({ status: "complete" });
  await round();
  await round(); // nothing is told or stored a second time
  expect(types()).toEqual([
    "error",
    "error",
    "failure-stored",
    "cure-stored",
    "failure-stored",
    "cure-stored",
    "state-stored",
  ]);
  const stored = await learnings();
  expect(stored.map(({ type }) => type)).toEqual(["failure", "failure", "learning", "learning"]);
  const failures = stored.filter(({ type }) => type === "failure").map(({ learning }) => learning);
  expect(failures.toSorted()).toEqual([
    "gates blocked: src/a.ts(3,4): error TS2322: no",
    "session ended with an error: cannot reach port 4411",
  ]);
  const cures = stored.filter(({ type }) => type === "learning").map(({ learning }) => learning);
  for (const cure of cures)
    expect(cure).toMatch(
      /^This was cured by session 3 of worker night; its commits: [0-9a-f]+ widen the type$/,
    );
  const injected = await memory.inject({ context: "night: error TS2322 in src/a.ts", format: "prompt" });
  expect(injected.prompt).toContain("widen the type");
});

test("another worker of the project with the same error adds no second failure", async () => {
  const parts = [
    {
      steps: [
        { do: "append", file: "a.txt", text: "x\n" },
        { do: "fail", message: "no network" },
      ] as ScriptedStep[],
    },
  ];
  for (const name of ["one", "two"]) {
    const request = await night.plan({ name, dir: `${name}/project`, parts, max: 1 });
    await night.run(request);
    await round();
  }
  expect(types().filter((type) => type === "failure-stored")).toHaveLength(1);
  expect((await learnings()).filter(({ type }) => type === "failure")).toHaveLength(1);
});

test("the state of a project says status, blockers and next steps, and follows the worker", async () => {
  const request = await night.plan({
    health: "exit 0",
    parts: [{ steps: [{ do: "say", text: "HANDOFF: I looked" }] }],
  });
  await night.run(request);
  await round();
  const { json } = await memory.ask("GET", "/state/night");
  expect(json).toMatchObject({
    status: "blocked",
    state: {
      blockers: ["night stalled: 3 sessions in a row without a commit or a change"],
      nextSteps: ["worker resume night (handoff 003.md)"],
      workers: { night: "stalled" },
    },
  });
  writeFileSync(join(night.root, "night.script.json"), JSON.stringify({ parts: [{ steps: FIX }] }));
  await night.run(await night.resumeRequest());
  await round();
  expect((await memory.ask("GET", "/state/night")).json).toMatchObject({
    status: "done",
    state: { blockers: [], nextSteps: [], workers: { night: "complete" } },
  });
});

test("learnings that somebody else stores are noticed; its own are not", async () => {
  await night.plan({ parts: [{ steps: FIX }] });
  await round();
  await memory.learn({ trigger: "building the docs", learning: "run the generator first" });
  await round();
  await round();
  expect(told).toMatchObject([
    {
      type: "memory-changed",
      message: "the memory has 1 more learning; the next worker started there will see it",
    },
  ]);
});

test("a memory service that is away is said once; what was not stored is stored when it is back", async () => {
  const request = await night.plan({
    max: 1,
    parts: [
      {
        steps: [
          { do: "append", file: "a.txt", text: "x\n" },
          { do: "fail", message: "no network" },
        ],
      },
    ],
  });
  await night.run(request);
  const { url } = memory;
  memory.url = "http://127.0.0.1:9";
  await round();
  await round();
  expect(types()).toEqual(["rescue", "error", "memory-problem"]);
  memory.url = url;
  await round();
  expect(types().slice(3)).toEqual(["failure-stored", "state-stored"]);
});
