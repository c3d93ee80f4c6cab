import { passes, passesIn } from "./language/frame.ts";
import { defineLineTest } from "./language/line-test.ts";
import { readSentences } from "./language/sentences.ts";
import { findCleanUpLater } from "./rules/clean-up-later.ts";
import { findCodeBeforeTests } from "./rules/code-before-tests.ts";
import { findNewRepo } from "./rules/new-repo.ts";
import { allLines, type Doc, type Finding } from "./rules/rule.ts";
import { findShouldWork } from "./rules/should-work.ts";
import { findSkippingTests } from "./rules/skipping-tests.ts";

const BEYOND = defineLineTest(
  () =>
    / (?:(?:another|separate|later|next|different|follow_up|second|future|subsequent|own|new) (?:[^ ]+ )?(?:day|time|pr|release|sprint|iteration|week|month|version|quarter|milestone|ticket|issue|cycle|story)|follow_up|next sprint|next week|next month|next iteration|next release|week after|after (?:the )?(?:merge|release|launch|deploy|deadline|demo|go-live|ship)|tracked in|in \d+\.\d+|when i have time|some day|someday|after we (?:ship|release|launch)|after it (?:ship|be live)|backlog|post-launch|post-merge|next quarter|later pr|pr # ?\d+|pr #\d+|pr \d+) /,
);
const SHIPPED = defineLineTest(
  () =>
    / (?:merge|ship|release|deploy|push|publish|go_live|launch|roll_out|live|production|hotfix to|go out) /,
);
const LATER_TEST = defineLineTest(
  () =>
    / test (?:[^|]*?)(?:later|tomorrow|next|after|follow|will|afterwards|another|separate|when|in 2|be add|go into|come|track|tracked|week after) | (?:write|add|cover) (?:[^|]*?) test /,
);

const WITHOUT = new Set([
  "without tests",
  "not writing tests",
  "the suite was never run",
  "no tests",
  "no test needed",
  "no tests under Testing",
  "untested",
]);

/** A text, read. */
export const readDoc = (text: string): Doc => ({ text, sentences: readSentences(text) });

/** Every place a rule looked at, flagged or excused, in the order of the text. */
export const findAll = (doc: Doc): Finding[] => {
  const found = [
    ...findNewRepo(doc),
    ...findShouldWork(doc),
    ...findCleanUpLater(doc),
    ...findCodeBeforeTests(doc),
    ...findSkippingTests(doc),
  ];
  return reconcile(doc, found);
};

const reconcile = (doc: Doc, found: Finding[]): Finding[] => {
  const lines = allLines(doc);
  const flagged = (rule: string) => found.filter((f) => f.rule === rule && f.excuse === undefined);
  const later = flagged("R4")[0];
  const none = flagged("R5");
  const out = [...found];
  const shipIndex = doc.sentences.findIndex((sentence) => passes(SHIPPED, sentence.line, sentence));
  if (
    later &&
    none.length === 0 &&
    (passesIn(BEYOND, lines, doc.sentences) || shippedFirst(doc, later, shipIndex))
  )
    out.push({ ...later, rule: "R5", frame: "tests put off beyond the merge or release" });
  if (none.length > 0 && none.every(({ frame }) => WITHOUT.has(frame))) {
    if (later && !passesIn(BEYOND, lines, doc.sentences) && shipIndex < 0)
      return out.map((f) =>
        f.rule === "R5" && f.excuse === undefined
          ? { ...f, excuse: "means something else here" as const }
          : f,
      );
    if (!later && passesIn(LATER_TEST, lines, doc.sentences) && passesIn(BEYOND, lines, doc.sentences)) {
      const [first] = none;
      if (first) out.push({ ...first, rule: "R4", frame: "tests put off" });
    }
  }
  return out;
};

const shippedFirst = (doc: Doc, later: Finding, shipIndex: number): boolean => {
  if (shipIndex < 0) return false;
  const sentence = doc.sentences[shipIndex];
  if (!sentence) return false;
  const word = sentence.words.find(({ lemma }) =>
    /^(?:merge|ship|release|deploy|push|publish|go_live|launch|roll_out|live|production|out)$/.test(lemma),
  );
  const at = word === undefined ? -1 : sentence.words.indexOf(word);
  const before = sentence.words.slice(Math.max(0, at - 3), at).map(({ lemma }) => lemma);
  const after = sentence.words.slice(at + 1, at + 3).map(({ lemma }) => lemma);
  // "before I push …", "deployed to staging": nothing has gone out.
  if (
    before.includes("before") ||
    before.includes("not") ||
    after.some((lemma) => /^(?:staging|preview|testthing)$/.test(lemma))
  )
    return false;
  return word !== undefined && word.start < later.start && !(sentence.step !== undefined);
};
