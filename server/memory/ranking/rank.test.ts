import { expect, test } from "vitest";
import { createAliases } from "../analysis/aliases.ts";
import { analyzeContext, analyzeLearning } from "../analysis/analyze.ts";
import { describeCorpus, explainScore, scoreLearning, weighContext } from "./rank.ts";

const ALIASES = createAliases();

/** How a context scores learnings, in a store in which every word is as rare as every other. */
const ask = (context: string) => {
  const concepts = analyzeContext(context, ALIASES);
  const counts = new Map(concepts.map(({ term }) => [term, 10]));
  const totals = { documents: 2000, triggerLength: 2000 * 5, learningLength: 2000 * 10 };
  const question = weighContext(concepts, describeCorpus(totals, counts));
  const analyzed = (trigger: string, learning: string) => analyzeLearning({ trigger, learning });
  return {
    score: (trigger: string, learning: string) => scoreLearning(question, analyzed(trigger, learning)),
    explain: (trigger: string, learning: string) => explainScore(question, analyzed(trigger, learning)),
  };
};

test("an identifier counts once and not once more for each of its parts", () => {
  const { score } = ask("sqlalchemy.orm.exc.DetachedInstanceError: a session was closed after the commit");
  const identifier = score("shared note", "raised sqlalchemy.orm.exc.DetachedInstanceError once");
  const theRest = score("session closed after commit", "sqlalchemy then has a detached instance");
  expect(theRest.score).toBeGreaterThan(2 * identifier.score);
  expect(identifier.found.length).toBeGreaterThan(theRest.found.length);
});

test("the parts of an identifier count fully where the whole is not", () => {
  const { explain } = ask("hot_standby_feedback");
  const weightOf = (learning: string, term: string) =>
    explain("replica lags", learning).find((match) => match.term === term)?.weight ?? 0;
  const implied = weightOf("hot_standby_feedback was off", "feedback");
  const own = weightOf("the feedback was off", "feedback");
  expect(own).toBeGreaterThan(1.8 * implied);
  const { explain: explainBoth } = ask("feedback of hot_standby_feedback");
  const named = explainBoth("replica lags", "hot_standby_feedback was off").find(
    ({ term }) => term === "feedback",
  );
  expect(named?.weight).toBeGreaterThan(1.8 * implied);
});

test("one identifier in common does not say that a trigger was meant, two things in common do", () => {
  const trigger = "rtb-private-egress";
  const one = ask("rtb-private-egress");
  const inTrigger = one.score(trigger, "ask the network team");
  const inLearning = one.score("no route to the internet", "attach rtb-private-egress");
  expect(inTrigger.triggerCoverage).toBe(1);
  expect(inTrigger.score).toBeLessThan(1.15 * inLearning.score);
  const two = ask("rtb-private-egress has no subnet");
  const meant = two.score("subnet of rtb-private-egress", "ask the network team");
  const aside = two.score("no route to the internet", "attach the subnet to rtb-private-egress");
  expect(meant.score).toBeGreaterThan(1.2 * aside.score);
});

test.each(["render_queue_max_retries", "gate-test-trigger-1795341154190002", "where is maxRetriesOfQueue"])(
  "what only shares parts of %s stays behind what has it whole",
  (context) => {
    const { score } = ask(context);
    const whole = score(
      "a note from the team",
      `see ${context.split(" ").at(-1)} ${"and more words ".repeat(12)}`,
    );
    const like = score(
      "max retries of the render queue",
      "gate test trigger 1795341154190003: retries of queue max",
    );
    const less = score("a note", "max trigger");
    expect(whole.score).toBeGreaterThan(2 * like.score);
    expect(like.score).toBeGreaterThan(less.score);
    expect(less.score).toBeGreaterThan(0);
  },
);
