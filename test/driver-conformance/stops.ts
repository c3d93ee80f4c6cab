import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { findMarked } from "../../core/process-tree.ts";
import type { TestedAgent } from "../real-agents.ts";
import { contentOf, readAll, room, setUp, start, step } from "./room.ts";
import type { Register } from "./scenario.ts";
import { TRAITS } from "./traits.ts";

// Stops that come at an awkward moment: nothing new begins, and the note is still written.

export const NOTE_REQUEST = "Write a closing note.";

const NOTE = "HANDOFF: stopped halfway";
const answers = [{ contains: NOTE_REQUEST, turns: [{ text: NOTE, contextTokens: 152_000 }] }];

export const describeStops = (id: TestedAgent, scenario: Register) => {
  scenario("stopInTool", async () => {
    const { agent } = await setUp(id, {
      sessions: [
        {
          turns: [
            {
              run: "echo begun >> steps.log; while ! [ -e go ]; do sleep 0.05; done; echo ended >> steps.log",
              contextTokens: 151_000,
            },
            // Never given: a busy machine has time to act on the end of the call.
            { run: "echo next >> steps.log", thinkMs: 3_000 },
            { text: "DONE: never said" },
          ],
          answers,
        },
      ],
    });
    const session = await start(agent, "WORKER MODE: a long step");
    let isAsked = false;
    const events = await readAll(session, async (event) => {
      if (event.type !== "tool-start" || isAsked) return;
      isAsked = true;
      await vi.waitFor(() => expect(contentOf("steps.log")).toBe("begun\n"), { timeout: 400_000 });
      await session.stopGently();
      writeFileSync(join(room.dir, "go"), "");
    });
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
    expect(await session.askForNote({ prompt: NOTE_REQUEST, timeoutMs: 200_000 })).toBe(NOTE);
    expect(contentOf("steps.log")).toBe("begun\nended\n");
    await session.end();
    expect(findMarked(room.mark)).toEqual([]);
  });

  scenario("stopInTools", async () => {
    const longCall = (name: string) =>
      `echo begun >> ${name}.log; while ! [ -e go ]; do sleep 0.05; done; echo ended >> ${name}.log`;
    const { agent } = await setUp(id, {
      sessions: [
        {
          turns: [
            { run: [longCall("first"), longCall("second")], contextTokens: 151_000 },
            // Never given: a busy machine has time to act on the end of the calls.
            { run: "echo next >> next.log", thinkMs: 3_000 },
            { text: "DONE: never said" },
          ],
          answers,
        },
      ],
    });
    const session = await start(agent, "WORKER MODE: two long steps");
    let isAsked = false;
    const events = await readAll(session, async (event) => {
      if (event.type !== "tool-start" || isAsked) return;
      isAsked = true;
      await vi.waitFor(() => expect(contentOf("first.log")).toBe("begun\n"), { timeout: 400_000 });
      await session.stopGently();
      writeFileSync(join(room.dir, "go"), "");
    });
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
    expect(await session.askForNote({ prompt: NOTE_REQUEST, timeoutMs: 200_000 })).toBe(NOTE);
    expect(contentOf("first.log")).toBe("begun\nended\n");
    // Some begin both at once, some never begin the second; none cuts it short.
    if (existsSync(join(room.dir, "second.log"))) expect(contentOf("second.log")).toBe("begun\nended\n");
    expect(existsSync(join(room.dir, "next.log"))).toBe(false);
    await session.end();
    expect(findMarked(room.mark)).toEqual([]);
  });

  scenario("stopInText", async () => {
    const { agent, model } = await setUp(id, {
      sessions: [
        {
          turns: [
            { run: "echo one >> steps.log", contextTokens: 60_000 },
            {
              // Long enough that the stop arrives in the middle on a slow machine, too; most do not read it to its end.
              text: "word ".repeat(TRAITS[id].makesCallBeingWritten ? 200 : 2_000),
              run: "echo two >> steps.log",
              contextTokens: 151_000,
              pieceMs: 100,
            },
            { text: "DONE: never said" },
          ],
          answers,
        },
      ],
    });
    const session = await start(agent, "WORKER MODE: much to say");
    const reading = readAll(session);
    await vi.waitFor(() => expect(model.turns()).toHaveLength(2), { timeout: 400_000 });
    await session.stopGently();
    expect((await reading).at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
    expect(await session.askForNote({ prompt: NOTE_REQUEST, timeoutMs: 200_000 })).toBe(NOTE);
    expect(contentOf("steps.log")).toBe(TRAITS[id].makesCallBeingWritten ? "one\ntwo\n" : "one\n");
    await session.end();
    expect(findMarked(room.mark)).toEqual([]);
  });

  scenario("budget", async () => {
    const budgetUsd = 0.015;
    const calls = ["one", "two", "three", "four"].map((name) => ({ ...step(name, 60_000), thinkMs: 2_000 }));
    const { agent, model } = await setUp(id, {
      sessions: [{ turns: [...calls, { text: "DONE: all of it" }] }],
    });
    const session = await start({ ...agent, budgetUsd }, "WORKER MODE: much to pay");
    const events = await readAll(session, (event) =>
      event.type === "usage" && (event.totalCostUsd ?? 0) >= budgetUsd ? session.stopGently() : undefined,
    );
    const ended = events.at(-1);
    expect(ended).toMatchObject({ type: "ended", reason: expect.stringMatching(/^(interrupted|limit)$/) });
    const { totalCostUsd = 0 } = session.spent();
    expect(totalCostUsd).toBeGreaterThanOrEqual(budgetUsd);
    // The one that reached it, and one that had begun by then.
    const costOfOne = totalCostUsd / model.turns().length;
    expect(totalCostUsd).toBeLessThan(budgetUsd + 2 * costOfOne);
    expect(model.turns().length).toBeLessThan(4);
  });
};
