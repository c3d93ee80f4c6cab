import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { FINISH, Night } from "../faults/night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const say = (text: string): ScriptedStep => ({ do: "say", text });
const found = (message: string, severity = "blocker"): ScriptedStep =>
  say(
    `I looked.\n{"findings":[{"file":"work.txt","line":1,"severity":"${severity}","message":"${message}"}]}`,
  );
const NOTHING = say('{"findings":[]}');

/** A reviewer that plays these answers, one a review; what it does to its checkout changes nothing. */
const reviewer = (answers: ScriptedStep[], rounds = 2): void => {
  const parts = answers.map((answer) => ({
    steps: [{ do: "run" as const, command: "rm -rf * .git; touch mine" }, answer],
  }));
  const script = night.write("scripts/reviewer.json", JSON.stringify({ parts }));
  night.config = {
    agents: { reviewer: { driver: "scripted", script, state: `${night.root}/reviewer-state.json` } },
    review: { agent: "reviewer", rounds },
  };
};

const promptOf = (session: number): string =>
  String(night.events().find(({ type, session: of }) => type === "prompt" && of === session)?.["prompt"]);

test("blockers of a reviewer go into the next prompt, until it finds none", async () => {
  reviewer([found("the line says nothing"), found("could be longer", "remark")]);
  const state = await night.run(await night.plan({ health: "exit 0", parts: [{ steps: FINISH }] }));
  expect(state).toMatchObject({ status: "complete", session: 2, verdict: { word: "complete" } });
  expect(promptOf(2)).toMatch(/work\.txt:1 the reviewer \(reviewer\) says: the line says nothing/);
});

test(
  "who cannot agree with the reviewer goes to a person, and so does a review without an answer",
  { tags: ["long"] },
  async () => {
    reviewer([found("no"), found("still no"), found("never")], 2);
    const state = await night.run(await night.plan({ health: "exit 0", parts: [{ steps: FINISH }] }));
    expect(state).toMatchObject({ status: "unverified", session: 3 });
    expect(state.stopReason).toContain("you two do not agree");
    reviewer([say("looks fine to me")]);
    const mute = await night.run(
      await night.plan({ name: "mute", health: "exit 0", parts: [{ steps: FINISH }] }),
    );
    expect(mute).toMatchObject({ status: "unverified", verdict: { reasons: [{ kind: "review" }] } });
  },
);

test("a reviewer is not asked about red gates, and cannot overrule them", async () => {
  reviewer([NOTHING]);
  const state = await night.run(await night.plan({ max: 1, health: "exit 1", parts: [{ steps: FINISH }] }));
  expect(state).toMatchObject({
    status: "max-reached",
    verdict: { word: "refused", reasons: [{ kind: "gates" }] },
  });
  expect(night.events().some(({ type }) => type === "review")).toBe(false);
});
