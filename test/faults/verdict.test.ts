// @module-tag long

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const promptOf = (session: number): string =>
  String(night.events().find(({ type, session: of }) => type === "prompt" && of === session)?.["prompt"]);
const say = (text: string): ScriptedStep => ({ do: "say", text });

test("without a script of the project's own the declared gates judge, before a session and for the verdict", async () => {
  night.config = { gates: { test: { command: "test -f ok.txt || { echo 'error: no ok.txt'; exit 1; }" } } };
  const request = await night.plan({
    parts: [
      { steps: [say("DONE: not yet")] },
      {
        steps: [{ do: "run", command: "touch ok.txt && git add -A && git commit -qm ok" }, say("DONE: now")],
      },
    ],
  });
  expect(request.gates.root).toBe(join(night.root, "night"));
  expect(await night.run(request)).toMatchObject({
    status: "complete",
    session: 2,
    lastGate: { verdict: "healthy" },
  });
  expect(promptOf(1)).toMatch(/The gates report blockers[^]*HEALTH REPORT of nightshift gate[^]*no ok\.txt/);
  expect(promptOf(2)).toContain("the gates are red");
});

test("the built-in gates judge what they apply to; where only the tree is clean, nothing is verified", async () => {
  const write = (text: string): ScriptedStep => ({
    do: "run",
    command: `printf '${text}' > a.ts && git add -A && git commit -qm a`,
  });
  const request = await night.plan({
    name: "typed",
    parts: [
      { steps: [write("export const a: any = 1;\\n"), say("DONE: any")] },
      { steps: [write("export const a: number = 1;\\n"), say("DONE: number")] },
    ],
  });
  expect(await night.run(request)).toMatchObject({ status: "complete", session: 2 });
  const plain = await night.plan({ name: "plain", parts: [{ steps: FINISH }] });
  expect(await night.run(plain)).toMatchObject({ status: "unverified", lastGate: { verdict: "none" } });
});

test("a gate that dirties the tree leads to no complete, and the next session is told which one did", async () => {
  const request = await night.plan({
    health: "test -f work.txt || exit 0; test -f .gitignore || echo log > gate.log",
    parts: [
      { steps: FINISH },
      {
        steps: [
          {
            do: "run",
            command: "rm gate.log; echo gate.log > .gitignore; git add -A; git commit -qm ignore",
          },
          say("DONE: ignored"),
        ],
      },
    ],
  });
  const state = await night.run(request);
  expect(state).toMatchObject({ status: "complete", session: 2 });
  expect(promptOf(2)).toContain("gates left this uncommitted behind, so the work is not done: gate.log");
});

test("a gate that moves HEAD leads to no complete", async () => {
  const request = await night.plan({
    max: 2,
    health: "test -f work.txt && git commit -q --allow-empty -m gate; exit 0",
    parts: [{ steps: FINISH }],
  });
  expect(await night.run(request)).toMatchObject({ status: "max-reached" });
  expect(promptOf(2)).toContain("HEAD or the branch moved while the gates ran");
});

test("a repository that the agent removed is not clean, in no session after it either", async () => {
  const request = await night.plan({
    max: 2,
    health: "exit 0",
    parts: [{ steps: [{ do: "run", command: "echo x > new.txt; rm -rf .git" }, say("DONE: all")] }],
  });
  const state = await night.run(request);
  expect(state).toMatchObject({ status: "max-reached", session: 2 });
  expect(promptOf(2)).toMatch(/git cannot say[^]*the git repository of .* is gone/);
});

test("nor is one below another repository, whose place that one takes", async () => {
  night.repository(".");
  const request = await night.plan({
    max: 1,
    health: "exit 0",
    parts: [{ steps: [{ do: "run", command: "rm -rf .git" }, say("DONE: all")] }],
  });
  expect(await night.run(request)).toMatchObject({
    status: "max-reached",
    stopReason: "1 session used; the last DONE was refused",
  });
});

test("a DONE that is not the closing word is a handoff, and the next session learns how it is written", async () => {
  const request = await night.plan({
    health: "exit 0",
    parts: [{ steps: [say("* DONE: a\n* TODO: b")], note: "HANDOFF: b" }, { steps: FINISH }],
  });
  expect(await night.run(request)).toMatchObject({ status: "complete", session: 2 });
  expect(promptOf(2)).toContain("wrote DONE, but not as the one closing word");
});

test("agents and gates are given no secrets of ours", async () => {
  Object.assign(night.env, {
    DATABASE_URL: "postgres://secret",
    NIGHTSHIFT_TOKEN: "secret",
    PGPASSWORD: "secret",
    LC_OTHER: "given",
  });
  night.config = { sandbox: { allowWrite: [night.root] } };
  const request = await night.plan({
    health: "env > ../gate-env; exit 0",
    parts: [{ steps: [{ do: "run", command: "env > ../agent-env" }, ...FINISH] }],
  });
  await night.run(request);
  for (const file of ["gate-env", "agent-env"]) {
    const given = readFileSync(join(night.root, file), "utf8");
    expect(given).toContain("LC_OTHER=given");
    expect(given).not.toMatch(/secret|DATABASE_URL|NIGHTSHIFT_TOKEN/);
  }
});
