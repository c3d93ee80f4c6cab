import { findExcuse } from "../language/context.ts";
import { type PlanEvent, readEvents } from "./events.ts";
import { AFTER_CODE } from "./order/after-code.ts";
import { PUT_OFF } from "./order/put-off.ts";
import { defineFrames, type Doc, type Finding, runFrames } from "./rule.ts";

const FRAMES = defineFrames("R4", ...PUT_OFF, ...AFTER_CODE);

/** A plan read step by step: production code at an earlier step than the tests that cover it. */
const findInPlan = (doc: Doc): Finding[] => {
  const events = readEvents(doc);
  const pair = findCodeThenTest(events);
  if (!pair) return [];
  const sentence = doc.sentences[pair.test.sentence];
  if (!sentence) return [];
  const code = doc.sentences[pair.code.sentence];
  const excuse =
    findExcuse(sentence, pair.test.fit, doc.sentences[pair.test.sentence + 1]) ??
    (code && code !== sentence ? findExcuse(code, pair.code.fit, undefined) : undefined);
  return [
    {
      rule: "R4",
      frame: "the tests are a later step than the code",
      start: sentence.words[pair.test.fit.from]?.start ?? sentence.start,
      end: sentence.words[pair.test.fit.to]?.end ?? sentence.end,
      excuse,
    },
  ];
};

const findCodeThenTest = (events: readonly PlanEvent[]): { code: PlanEvent; test: PlanEvent } | undefined => {
  const firstTest = events.find(({ kind }) => kind === "test-write" || kind === "test-exists");
  const code = events.find(({ kind }) => kind === "code");
  if (!code || !firstTest) return undefined;
  // Test-first, or red tests that wait for the code: what follows is another round of the same.
  if (firstTest.order < code.order) return undefined;
  const test = events.find(
    (event) => event.kind === "test-write" && event.order > code.order && event.sequenced,
  );
  if (!test) return undefined;
  if (events.some(({ kind, order }) => kind === "test-exists" && order < test.order)) return undefined;
  return { code, test };
};

export const findCodeBeforeTests = (doc: Doc): Finding[] => [...runFrames(doc, FRAMES), ...findInPlan(doc)];
