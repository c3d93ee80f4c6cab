// @module-tag long

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const write: ScriptedStep = { do: "append", file: "work.txt", text: "line\n" };
const handoffOf = (file: string | undefined) => readFileSync(file ?? "", "utf8");
const promptOf = (session: number) => {
  const event = night.events().find((one) => one.type === "prompt" && one["session"] === session);
  return String(event?.["prompt"]);
};

/** A first session that leaves a handoff and a dirty tree, then one that opens with these words. */
const openWith = async (text: string) => {
  const head = night.repository("night", "exit 0");
  expect(head).toBe(`${night.root}/night`);
  const request = await night.plan({
    parts: [
      { steps: [write, { do: "say", text: "HANDOFF: half done" }] },
      { steps: [{ do: "say", text }, ...FINISH] },
    ],
  });
  return night.run(request);
};

test("the handoff carries branch, HEAD and a digest of the dirty tree, and the next prompt asks for exactly these", async () => {
  const state = await openWith("I begin.");
  const head = night.git("night", "rev-parse", "HEAD~1").slice(0, 12);
  const line = /branch=main head=([0-9a-f]{12}) dirty=[0-9a-f]{12}/.exec(
    handoffOf(state.sessions[0]?.handoffFile),
  );
  expect(line?.[1]).toBe(head);
  expect(promptOf(2)).toContain(`ACK: ${line?.[0]}`);
  expect(state.sessions[1]?.acknowledgement).toBe("missing");
  expect(state.remarks).toEqual([]);
});

test("an acknowledgement that is right is recorded as given", async () => {
  night.repository("night", "exit 0");
  const head = night.git("night", "rev-parse", "--short=10", "HEAD").trim();
  const state = await openWith(`ACK: branch=main head=${head}\nI go on.`);
  expect(state.sessions[1]?.acknowledgement).toBe("given");
});

test("an acknowledgement that contradicts the facts is recorded and shown", async () => {
  const state = await openWith("ACK: branch=feature head=0123456789ab dirty=clean\nI go on.");
  expect(state.sessions[1]?.acknowledgement).toBe("contradicted");
  expect(state.remarks).toEqual([
    "session 2 contradicted the branch, HEAD or work tree of its handoff: it said branch=feature head=0123456789ab dirty=clean",
  ]);
  expect(night.worker().remarks).toEqual(state.remarks);
});

test("an agent that leaves no word gets a note made of its last messages, commits and gates", async () => {
  const request = await night.plan({
    health: "echo 'error: seven tests fail'; exit 1",
    parts: [
      {
        steps: [
          { do: "say", text: "I looked at the parser." },
          { do: "say", text: "The bug is in line 7." },
          write,
          { do: "run", command: "git add -A; git commit -qm 'fix line 7'" },
          { do: "crash" },
        ],
      },
    ],
    max: 1,
  });
  const state = await night.run(request);
  const handoff = handoffOf(state.sessions[0]?.handoffFile);
  expect(handoff).toMatch(
    /left no note. Its last messages were:\n\nI looked at the parser.\n\nThe bug is in line 7./,
  );
  expect(handoff).toMatch(/- commits: [0-9a-f]+ fix line 7\n- gates: blocked/);
});

test("a note outlives the sessions that ended without a word after it", async () => {
  const request = await night.plan({
    health: "exit 0",
    limits: { sameErrors: 9 },
    parts: [
      { steps: [write, { do: "say", text: "HANDOFF: the parser is done, the printer is not" }] },
      { steps: [{ do: "fail", message: "overloaded" }] },
      { steps: [{ do: "fail", message: "overloaded" }] },
      { steps: FINISH },
    ],
  });
  const state = await night.run(request);
  expect(state.sessions.map(({ endReason }) => endReason)).toEqual(["handoff", "error", "error", "done"]);
  const handoff = handoffOf(state.sessions[2]?.handoffFile);
  expect(handoff).toContain("said nothing");
  expect(handoff.match(/## Note of session 1\n+the parser is done, the printer is not/g)).toHaveLength(1);
  expect(promptOf(4)).toContain("the parser is done, the printer is not");
});

test("a note without end is cut before it fills the next session's context", async () => {
  const request = await night.plan({
    health: "exit 0",
    parts: [
      { steps: [write, { do: "say", text: `HANDOFF: ${"word ".repeat(100_000)}` }] },
      { steps: FINISH },
    ],
  });
  await night.run(request);
  expect(promptOf(2).length).toBeLessThan(30_000);
  expect(promptOf(2)).toContain("characters cut]");
});

test("work that somebody changed between two sessions is said to the next one", async () => {
  const request = await night.plan({
    health: "exit 0",
    max: 1,
    parts: [{ steps: [write, { do: "say", text: "HANDOFF: half done" }] }, { steps: FINISH }],
  });
  await night.run(request);
  night.write("night/from-a-person.txt", "mine\n");
  await night.run(await night.resumeRequest());
  expect(promptOf(2)).toContain("The work tree has changed since that handoff was written");
});
