import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Source } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { findContextFaults } from "./check-context.ts";
import { isSent } from "./estimate.ts";
import { listSources, openConversation } from "./find.ts";
import { corpusHome, emptyHome, type TestHome } from "./fixtures/corpus-home.ts";
import { INVENTED, turns, writeInvented } from "./fixtures/invented.ts";
import { forgetMessages } from "./forget.ts";
import { undoLast } from "./undo.ts";

const home: TestHome | undefined = corpusHome();
const INVENTED_RUNS = Number(process.env["NIGHTSHIFT_INVENTED_RUNS"] ?? 60);
const RUNS = Number(process.env["NIGHTSHIFT_FORGET_RUNS"] ?? 3);

/** Every byte under a folder, by path. */
const snapshot = (folder: string): Map<string, string> => {
  const found = new Map<string, string>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !path.includes("/.nightshift/")) found.set(path, readFileSync(path, "base64"));
  }
  return found;
};

const makeWritable = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, statSync(path).mode | 0o700);
  }
};

describe.skipIf(!home)("on every transcript of the corpus", () => {
  let sources: Source[] = [];
  const { ports, home: folder, remove } = home ?? ({} as TestHome);

  beforeAll(async () => {
    makeWritable(folder);
    sources = await listSources(ports);
  });
  afterAll(() => remove());

  test("finds and reads every conversation, through all its faults", async () => {
    expect(new Set(sources.map(({ agent }) => agent))).toEqual(
      new Set(["claude", "codex", "gemini", "opencode", "pi"]),
    );
    expect(sources.length).toBe(43);
    for (const source of sources) {
      const { conversation } = await openConversation(`${source.agent}:${source.id}`, ports);
      const ids = conversation.messages.map(({ id }) => id);
      expect(new Set(ids).size, `${source.path} has message ids twice`).toBe(ids.length);
    }
  });

  test(
    "forgetting random messages leaves what the loader would send minus the closure, and undo is byte for byte",
    { tags: ["long"] },
    async () => {
      const before = snapshot(folder);
      for (const { agent, id, path } of sources) {
        const { conversation } = await openConversation(`${agent}:${id}`, ports);
        const sent = conversation.messages.filter(isSent);
        if (sent.length < 2) continue;
        await fc.assert(
          fc.asyncProperty(
            fc.uniqueArray(fc.nat(sent.length - 1), { minLength: 1, maxLength: 4 }),
            async (picks) => {
              const open = await openConversation(`${agent}:${id}`, ports);
              const named = picks.flatMap((index) => sent[index]?.id ?? []);
              try {
                const report = await forgetMessages(open, { named, ports });
                const after = await openConversation(report.result, ports);
                const known = new Set(findContextFaults(open.conversation).map(({ fault }) => fault));
                expect(
                  findContextFaults(after.conversation).filter(({ fault }) => !known.has(fault)),
                  path,
                ).toEqual([]);
              } catch (error) {
                // Nothing but a summary, or everything, cannot go: said in words, and nothing is written.
                if (!(error instanceof AppError) || error.code !== "bad-data") throw error;
                expect(error.message).toMatch(/nothing to continue from/);
                return;
              }
              expect((await undoLast(undefined, ports)).way).toBe("exact");
            },
          ),
          { numRuns: RUNS, seed: 7 },
        );
        const now = snapshot(folder);
        for (const [file, bytes] of before)
          expect(now.get(file) === bytes, `${file} is as it was`).toBe(true);
        expect([...now.keys()].filter((file) => !before.has(file))).toEqual([]);
      }
    },
  );
});

describe.each(Object.keys(INVENTED) as (keyof typeof INVENTED)[])(
  "on invented conversations of %s",
  (agent) => {
    test(
      "a forget is the conversation minus the closure with every pair whole, and undo is byte for byte",
      { tags: ["long"] },
      async () => {
        const { home, ports, remove } = emptyHome();
        const { id } = INVENTED[agent];
        await fc.assert(
          fc.asyncProperty(turns, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), async (all, picks) => {
            const path = writeInvented(home, agent, all);
            const before = readFileSync(path);
            const open = await openConversation(id, ports);
            const sent = open.conversation.messages.filter(isSent);
            expect(findContextFaults(open.conversation)).toEqual([]);
            const named = picks.flatMap((pick) => sent[pick % sent.length]?.id ?? []);
            try {
              const report = await forgetMessages(open, { named, ports });
              const after = await openConversation(report.result, ports);
              expect(findContextFaults(after.conversation)).toEqual([]);
              const gone = report.closure.named.length + report.closure.companions.length;
              expect(after.conversation.messages.filter(isSent)).toHaveLength(sent.length - gone);
            } catch (error) {
              if (!(error instanceof AppError) || error.code !== "bad-data") throw error;
              expect(error.message).toMatch(/nothing to continue from/);
              return;
            }
            expect((await undoLast(undefined, ports)).way).toBe("exact");
            expect(readFileSync(path).equals(before)).toBe(true);
          }),
          { numRuns: INVENTED_RUNS },
        );
        remove();
      },
    );
  },
);
