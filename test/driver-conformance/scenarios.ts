import { afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import type { AgentEvent } from "../../agents/driver.ts";
import { isAlive } from "../../core/process-identity.ts";
import { findMarked } from "../../core/process-tree.ts";
import { findBubblewrap } from "../../sandbox/find-bubblewrap.ts";
import { findTestedProgram, type TestedAgent } from "../real-agents.ts";
import {
  closeRoom,
  contentOf,
  conversationOf,
  ofType,
  openRoom,
  readAll,
  room,
  setUp,
  start,
  step,
  WINDOW,
} from "./room.ts";
import { describeCompaction } from "./compaction.ts";
import { describeCompany } from "./company.ts";
import { describeOutages } from "./outages.ts";
import { describeOutput } from "./output.ts";
import { scenariosOf } from "./scenario.ts";
import { describeStops, NOTE_REQUEST } from "./stops.ts";
import { TRAITS } from "./traits.ts";

// The same scenarios for every agent, each with its real program against the scripted model.

/** Runs the scenarios with one agent's real program; skipped by name where it is not installed. */
export const describeConformance = (
  id: TestedAgent,
  { inSandbox = false, isQuick = false }: { inSandbox?: boolean; isQuick?: boolean } = {},
) => {
  const traits = TRAITS[id];
  const { usage: tellsUsage = "each call", tellsTokens = true } = traits;
  const isInstalled = findTestedProgram(id) !== undefined;
  const where = inSandbox ? " in a sandbox" : "";
  const isHeld = !inSandbox || "program" in findBubblewrap(process.env);
  const why = isInstalled ? (isHeld ? "" : " (bubblewrap does not work here)") : " (not installed)";
  describe.skipIf(!isInstalled || !isHeld)(`${id}${where}${why}`, () => {
    const { scenario, missing } = scenariosOf(id, { isQuick, inSandbox });
    beforeAll(() => {
      room.isInside = inSandbox;
    });
    beforeEach(openRoom);
    afterEach(closeRoom);
    scenario("work", async () => {
      const { agent, model } = await setUp(id, {
        sessions: [
          {
            when: "WORKER MODE",
            turns: [
              { ...step("one", 21_000), text: "I begin." },
              step("two", 96_000),
              { text: "It is all there.\nDONE: two steps", contextTokens: 97_000 },
            ],
          },
        ],
      });
      const session = await start(agent, "WORKER MODE: two steps");
      const events = await readAll(session);
      expect(contentOf("steps.log")).toBe("one\ntwo\n");
      expect(events.at(-1)).toMatchObject({
        type: "ended",
        reason: "completed",
        lastText: "It is all there.\nDONE: two steps",
      });
      const usage = ofType(events, "usage").at(-1);
      if (tellsUsage === "never") expect(usage).toBeUndefined();
      else {
        expect(usage).toMatchObject({ windowTokens: WINDOW, source: agent.driver.capabilities.liveContext });
        // Some leave the answer out, whose 50 tokens the next request carries.
        expect([97_000, 96_950]).toContain(usage?.contextTokens);
      }
      expect(ofType(events, "tool-start").map((event) => event.summary)).toEqual([
        expect.stringContaining("echo one >> steps.log"),
        expect.stringContaining("echo two >> steps.log"),
      ]);
      expect(ofType(events, "tool-end").map((event) => event.isError)).toEqual([false, false]);
      expect(conversationOf(events)).not.toBe("");
      expect(ofType(events, "ended")).toHaveLength(1);
      expect(ofType(events, "unknown")).toEqual([]);
      expect(model.problems).toEqual([]);
      const { totalCostUsd = 0, totalTokens = 0 } = session.spent();
      if (tellsTokens) expect(totalTokens).toBeGreaterThanOrEqual(21_000 + 96_000 + 97_000);
      if (agent.driver.capabilities.cost !== "none" && tellsUsage !== "never")
        expect(totalCostUsd).toBeGreaterThan(0);
      await session.end();
      expect(findMarked(room.mark)).toEqual([]);
    });

    scenario("stop", async () => {
      const { agent, model } = await setUp(id, {
        sessions: [
          {
            turns: [
              step("one", 60_000),
              step("two", 151_000),
              // Never given: a busy machine has time to act on the turn before it.
              { ...step("three", 155_000), thinkMs: 3_000 },
              { text: "DONE: never said", contextTokens: 156_000 },
            ],
            answers: [
              {
                contains: NOTE_REQUEST,
                turns: [
                  { run: "echo looked > last-look.log", contextTokens: 157_000 },
                  { text: "HANDOFF: two of four", contextTokens: 157_000 },
                ],
              },
              { contains: "Go on.", turns: [{ text: "DONE: resumed", contextTokens: 158_000 }] },
            ],
          },
        ],
      });
      const session = await start(agent, "WORKER MODE: four steps");
      let calls = 0;
      const isFull = (event: AgentEvent): boolean => {
        if (event.type === "tool-start") calls += 1;
        return tellsUsage === "each call"
          ? event.type === "usage" && event.contextTokens / (event.windowTokens ?? Infinity) >= 0.75
          : event.type === "tool-start" && calls === 2; // by another limit: it does not tell this one in time
      };
      const events = await readAll(session, (event) => (isFull(event) ? session.stopGently() : undefined));
      expect(events.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
      const note = await session.askForNote({ prompt: NOTE_REQUEST, timeoutMs: 200_000 });
      expect(note).toBe("HANDOFF: two of four");
      // Nothing was begun after the stop, and what was begun was finished.
      expect(contentOf("steps.log")).toBe(traits.callsOff ? "one\n" : "one\ntwo\n");
      if (!traits.refusesToolsInNote) expect(contentOf("last-look.log")).toBe("looked\n");
      const noteRequest = model.turns().at(-1)?.request;
      expect(noteRequest?.opening).toContain("WORKER MODE: four steps");
      expect(noteRequest?.replies).toBeGreaterThanOrEqual(2);
      await session.end();
      expect(findMarked(room.mark)).toEqual([]);

      const resumed = await start(agent, "Go on.", conversationOf(events));
      const later = await readAll(resumed);
      expect(later.at(-1)).toMatchObject({ reason: "completed", lastText: "DONE: resumed" });
      expect(model.turns().at(-1)?.request?.opening).toContain("WORKER MODE: four steps");
    });

    describeStops(id, scenario);

    scenario("prompt", async () => {
      const { agent, model } = await setUp(id, { sessions: [{ turns: [{ text: "DONE: read" }] }] });
      const prompt = `WORKER MODE: --flag "q" 'a' \\n $HOME \`id\` {{x}} 🌙\n${"long line é\n".repeat(8_000)}end.`;
      const events = await readAll(await start(agent, prompt));
      expect(events.at(-1)).toMatchObject({ reason: "completed" });
      expect(model.turns()[0]?.request?.opening).toContain(prompt);
    });

    scenario("refusal", async () => {
      const { agent } = await setUp(id, {
        sessions: [{ turns: [{ fault: { kind: "status", status: 400, message: "scripted refusal" } }] }],
      });
      const ended = (await readAll(await start(agent, "WORKER MODE: fail"))).at(-1);
      expect(ended).toMatchObject({ type: "ended", reason: "error" });
      expect(ended?.type === "ended" && ended.message).toMatch(/scripted refusal|400/);
    });

    // 401 is a log-in that expired, 404 a model that the key may not use: waiting mends neither.
    const refused = (status: number, message: string) => async () => {
      const { agent } = await setUp(id, {
        sessions: [
          { turns: Array.from({ length: 40 }, () => ({ fault: { kind: "status", status, message } })) },
        ],
      });
      const events = await readAll(await start(agent, "WORKER MODE: fail"));
      const ended = events.at(-1);
      expect(ended).toMatchObject({ type: "ended", reason: "error" });
      expect(ended?.type === "ended" && ended.message).toMatch(
        new RegExp(`${message}|${status}|issue with the selected model|Authentication required`),
      );
      expect(ofType(events, "rate-limit")).toEqual([]);
    };
    scenario("logIn", refused(401, "scripted: token expired"));
    scenario("model", refused(404, "scripted: no such model"));

    describeCompaction(id, scenario);

    describeCompany(id, scenario);

    describeOutages(id, scenario);

    describeOutput(id, scenario);

    scenario("fork", async () => {
      const { agent } = await setUp(id, {
        sessions: [
          {
            turns: [
              {
                run: `setsid sh -c 'trap "" TERM; echo up > forked; while :; do sleep 1; done' > /dev/null 2>&1 & while ! [ -s forked ]; do sleep 0.05; done`,
              },
              { fault: { kind: "hang" } },
            ],
          },
        ],
      });
      const session = await start(agent, "WORKER MODE: fork");
      const { child } = session;
      const ending = readAll(session, (event) =>
        event.type === "tool-end" ? void session.end({ graceMs: 300 }) : undefined,
      );
      expect((await ending).at(-1)).toMatchObject({ type: "ended" });
      await session.end();
      expect(contentOf("forked")).toBe("up\n");
      expect(findMarked(room.mark)).toEqual([]);
      expect(child && isAlive(child)).toBe(false);
    });

    scenario("killed", async () => {
      const { agent } = await setUp(id, { sessions: [{ turns: [{ run: "echo > up; sleep 60" }] }] });
      const session = await start(agent, "WORKER MODE: die");
      const events = await readAll(session, (event) =>
        event.type === "tool-start" && session.child ? process.kill(session.child.pid, "SIGKILL") : undefined,
      );
      expect(events.at(-1)).toMatchObject({ type: "ended", reason: "error" });
    });

    expect([...missing]).toEqual([]);
  });
};
