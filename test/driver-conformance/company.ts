import { expect } from "vitest";
import type { TestedAgent } from "../real-agents.ts";
import { offers } from "../scripted-model/script.ts";
import { contentOf, ofType, readAll, setUp, start, step } from "./room.ts";
import type { Register } from "./scenario.ts";

// An agent that is not alone: it asks a person who is not there, and gives work to sub-agents of its own.

export const describeCompany = (id: TestedAgent, scenario: Register) => {
  scenario("question", async () => {
    const { agent, model } = await setUp(id, {
      sessions: [
        {
          turns: [
            { ask: "Which of the two?", contextTokens: 21_000 },
            step("alone", 22_000),
            { text: "DONE: by myself", contextTokens: 23_000 },
          ],
        },
      ],
    });
    const events = await readAll(await start(agent, "WORKER MODE: choose"));
    const [first] = model.turns();
    expect(first?.request && offers(first.request, "ask")).toBe(true);
    expect(contentOf("steps.log")).toBe("alone\n");
    expect(events.at(-1)).toMatchObject({ reason: "completed", lastText: "DONE: by myself" });
    expect(model.problems).toEqual([]);
  });

  scenario("subAgents", async () => {
    const { agent, model } = await setUp(id, {
      sessions: [
        {
          when: "WORKER MODE",
          turns: [
            { delegate: "Do the small part.", contextTokens: 21_000 },
            // Some wait for their sub-agents, some work on beside them.
            {
              run: "while ! [ -e part.log ]; do sleep 0.05; done; echo whole >> steps.log",
              contextTokens: 31_000,
            },
            { text: "DONE: all of it", contextTokens: 32_000, thinkMs: 1_000 },
          ],
        },
        {
          when: "the small part",
          turns: [
            { run: "echo part > part.log", contextTokens: 160_000 },
            { text: "The part is done.", contextTokens: 161_000 },
          ],
        },
      ],
    });
    const session = await start(agent, "WORKER MODE: two parts");
    const events = await readAll(session);
    expect(contentOf("steps.log")).toBe("whole\n");
    expect(events.at(-1)).toMatchObject({ reason: "completed", lastText: "DONE: all of it" });
    expect(Math.max(0, ...ofType(events, "usage").map(({ contextTokens }) => contextTokens))).toBeLessThan(
      100_000,
    );
    const asked = model.turns().reduce((sum, { turn }) => sum + (turn?.contextTokens ?? 0), 0);
    // Gemini CLI asks a sub-agent once more that ends without its own tool for that.
    expect(asked).toBeGreaterThanOrEqual(21_000 + 31_000 + 32_000 + 160_000 + 161_000);
    expect(session.spent().totalTokens).toBe(asked);
    expect(model.problems).toEqual([]);
  });
};
