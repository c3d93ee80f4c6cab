import { expect } from "vitest";
import type { AgentEvent } from "../../agents/driver.ts";
import { contextTokensOf, NO_TOKENS } from "../../agents/token-classes.ts";
import { splitUsage } from "../scripted-model/script.ts";
import type { ScriptedModel } from "../scripted-model/server.ts";
import type { TestedAgent } from "../real-agents.ts";
import { contentOf, readAll, setUp, start, step } from "./room.ts";
import type { Register } from "./scenario.ts";
import { NOTE_REQUEST } from "./stops.ts";
import { TRAITS } from "./traits.ts";

// An agent that makes its own context smaller: its figures follow, and a stop after that holds like one before it.

/** Some compact by their own count before they ask, some when the model refuses. */
const TOO_LONG = "prompt is too long: 210000 tokens > 200000 maximum";

/** pi keeps the last 20,000 tokens, by its own estimate, and compacts only what is before them. */
const printing = (name: string, contextTokens: number) => ({
  run: `head -c 45000 /dev/zero | tr '\\0' x; echo ${name} >> steps.log`,
  contextTokens,
  thinkMs: 150,
});

/** The tokens of all answers that the agent was given, its side jobs among them. */
const countGiven = ({ requests }: ScriptedModel): number =>
  requests
    .map(({ turn }) => turn)
    .filter((turn) => turn !== undefined && turn.fault === undefined && !turn.run?.includes("five"))
    .map((turn) => contextTokensOf({ ...NO_TOKENS, ...splitUsage(turn ?? {}) }))
    .reduce((sum, tokens) => sum + tokens, 0);

export const describeCompaction = (id: TestedAgent, scenario: Register) => {
  const {
    usage: tellsUsage = "each call",
    callsOff = false,
    tellsTokens = true,
    hidesSummaryUsage,
  } = TRAITS[id];

  scenario("compaction", async () => {
    const later = [
      step("three", 40_000),
      step("four", 151_000),
      { ...step("five", 155_000), thinkMs: 3_000 }, // never given: a busy machine has time to act on the one before it
      { text: "DONE: never said", contextTokens: 156_000 },
    ];
    const answers = [
      // The summary that Claude Code asks for with all its tools; the others ask without any, as for a side job.
      { contains: "summary of the conversation", turns: [{ text: "<summary>one, two</summary>" }] },
      { contains: NOTE_REQUEST, turns: [{ text: "HANDOFF: four of five", contextTokens: 157_000 }] },
    ];
    const { agent, model } = await setUp(id, {
      sessions: [
        {
          when: "WORKER MODE",
          turns: [
            printing("one", 60_000),
            printing("two", 195_000),
            { fault: { kind: "status", status: 400, message: TOO_LONG } },
            ...later,
          ],
          answers,
        },
        { turns: later, answers }, // the compacted conversation begins otherwise
      ],
    });
    const session = await start(agent, "WORKER MODE: five steps");
    const figures: number[] = [];
    let calls = 0;
    const isFullAgain = (event: AgentEvent): boolean => {
      if (event.type === "tool-start") calls += 1;
      if (event.type === "usage") figures.push(event.contextTokens);
      return tellsUsage === "each call"
        ? event.type === "usage" && calls > 2 && event.contextTokens > 150_000
        : event.type === "tool-start" && calls === 4;
    };
    const events = await readAll(session, (event) => (isFullAgain(event) ? session.stopGently() : undefined));
    expect(contentOf("steps.log")).toBe(callsOff ? "one\ntwo\nthree\n" : "one\ntwo\nthree\nfour\n");
    const ended = events.at(-1);
    expect(ended).toMatchObject({ type: "ended", reason: "interrupted" });
    // A summary is not what the agent says; over ACP it cannot be told from that.
    if (agent.driver.id !== "acp") expect(ended).toMatchObject({ lastText: "" });
    if (tellsUsage === "each call") {
      const peak = figures.findIndex((tokens) => tokens > 190_000);
      expect(peak).toBeGreaterThan(0);
      expect(Math.min(...figures.slice(peak))).toBeLessThanOrEqual(40_000);
    }
    if (tellsTokens && !hidesSummaryUsage) expect(ended).toMatchObject({ totalTokens: countGiven(model) });
    expect(await session.askForNote({ prompt: NOTE_REQUEST, timeoutMs: 200_000 })).toBe(
      "HANDOFF: four of five",
    );
    expect(model.problems).toEqual([]);
  });
};
