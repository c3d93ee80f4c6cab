import { findFits, type Fit, fitsAnywhere, fitsAt, fitsJustBefore, passes } from "../language/frame.ts";
import { defineLineTest } from "../language/line-test.ts";
import { definePattern } from "../language/patterns.ts";
import type { Sentence } from "../language/sentences.ts";
import { type Doc, lineOf } from "./rule.ts";
import { findTestStep } from "./test-step.ts";

/** What a plan does, in the order in which it says it. */
export type PlanEvent = {
  kind: "code" | "test-write" | "test-exists" | "ship";
  sentence: number;
  fit: Fit;
  order: number;
  /** the text says that this comes after what stands before it */
  sequenced: boolean;
};

const TEST_VERB =
  "(write|add|create|make|author|backfill|supply|provide|come_up_with|produce|develop|draft|prepare|include|finish|do|build|implement|start|cover|lock|back|follow|prove|pin|have|get|complete|put|extend|set_up|tackle|spend|generate|top|round|polish|introduce|generate|pin|prove|secure|guard|protect|come up|work on|test|cover|test-cover|contain|bring)";
const TEST_WRITES = [
  `${TEST_VERB} (it|this|that|them|everything|all|off|up|down|out)* (up|down|off)? (with|by|in|on|for|at)? (the|a|an|some|its|their|couple|few|bunch|of|on|two|three)* ^4 (test|testing|testfile)`,
  "(cover|pin|lock|back|secure|prove|guard|protect|test|follow|follow_up|nail|support|top|round|finish|put|wrap_up|close) ~4 (with|by|in|under) ^4 (test|testfile|testing)",
  "(test-writing|test writing|writing test|write test)",
].map(definePattern);
const CODE = definePattern(
  "(implement|build|code|develop|prototype|fix|patch|correct|refactor|rewrite|wire|bang_out|hack|solve|repair|extract|migrate|convert|port|adapt|adjust|rework|expose|extend|design|spike|rename|change|create|write|add|make|finish|update|introduce|register|hook|get|replace|remove|tackle|flesh_out|put|generate|optimise|optimize|scaffold|integrate|edit|modify|render|parse|drop|swap|do|handle|resolve|craft|knock_out|program|sort_out|set_up|bump|complete|move|split|backfill|turn|cache|validate|call) ~5",
);
const CODE_NOUNS = definePattern(
  "(code|implementation|coding|change|migration|model|controller|controllers|handler|resolver|schema|endpoint|endpoints|frontend|backend|layer|fix|feature|api|ui|logic|module|component|components|parser|function|class|refactor|service|hook|form|page|screen|query|oauth|reducer|route|routes|script|flow|adapter|interface|data|command|cli)",
);
const NOT_CODE_OBJECT = definePattern(
  "(test|suite|testing|testcase|assertion|testfile|pr|doc|docs|readme|changelog|commit|branch|ticket|plan|note|notes|coverage|screenshot|screenshots|rfc|sure|stub|skeleton|mock|fixture|fixtures|them|it (pass|fail|green)|the run|review|runtests|list|typo|commits|database (up|in)|pass|green|red)",
);
const RED = definePattern(
  "(fail|failing|fails|red|first|tdd|test first|tests first|test-first|test-driven|characterization|see it fail|before|acceptance|reproduces|reproduce|existing|already|contract|drives)",
);
const SEQUENCE = definePattern(
  "(then|than|now|afterwards|afterward|after that|next|finally|lastly|later|follow|followed|second|last|at_end|subsequently|tomorrow|and finish with|thereafter|after which|once|when|to finish|round off|after this|in a second|as a second|only|only then|missing|remain|remains|remaining|afternoon|still|tonight)",
);
const SEQUENCE_BEFORE = definePattern(
  "(then|than|afterwards|afterward|after that|after all (that|this)|next|finally|lastly|later|subsequently|second|last|and then|tomorrow|follow it? up? (by|with)|thereafter|finish with|and finish|after which|whereupon|end by|end with|conclude with|conclude by|close with|followedby|time to|ready to|in the end|at_end)",
);
const SEQUENCE_WORDS = 5;
const endsSequence = (lemma: string): boolean => /[;.]/.test(lemma);

const RUNS = definePattern("(suite|runtests|run|rerun|pass|existing)");
const GETS_TEST = defineLineTest(() => / (?:get|make|have|put|update|do|complete) (?:[^ ]+ )*test $/);
const TO_PASS = defineLineTest(() => /^ (?:run|pass|green|to run|to pass|command|script)/);
const OTHER_HEAD = definePattern(
  "(job|runner|script|command|id|framework|environment|server|account|data|user|page|button|container|step|pass|stage|drive|print|variant|plan|report|pipeline|matrix)",
);

const testWrites = (sentence: Sentence): Fit[] =>
  TEST_WRITES.flatMap((pattern) => findFits(sentence, pattern)).filter(({ from, to }) => {
    const inside = lineOf(sentence, from, to + 1);
    if (fitsAnywhere(sentence, RUNS, { from, to })) return false;
    const after = lineOf(sentence, to + 1, sentence.words.length);
    if (passes(GETS_TEST, inside, sentence) && passes(TO_PASS, after, sentence)) return false;
    return !fitsAt(sentence, OTHER_HEAD, to + 1) || after.includes(" where ");
  });

const LAST_CLAUSE = definePattern(
  "(then|next|finally|lastly|at_end|later|afterwards|after that|last|followedby|subsequently|(conclude|end|close|finish|wrap_up|round off|wind up) (with|by|on)) ~5 (test|testing)",
);

const NOT_A_NEW_TEST = definePattern(
  "(run|rerun|suite|full|whole|existing|pass|check|all|skip|disable|delete|remove|fix|read|review|see|watch|red|fail|make|until|so|that|connect|execute|have|already|right|correct)",
);
const GOES_ON = defineLineTest(
  () =>
    /^ (?:(?:the )?(?:run|pass|be green|again)|, (?:and )?then (?:the |real )*(?:code|logic|implementation|body|real|implement))/,
);

/** "…, next the repository method, and at the end a test" */
const lastClauseTest = (sentence: Sentence): Fit | undefined =>
  findFits(sentence, LAST_CLAUSE).find(
    ({ from, to }) =>
      !fitsAnywhere(sentence, NOT_A_NEW_TEST, { from, to }) &&
      !passes(GOES_ON, lineOf(sentence, to + 1, sentence.words.length), sentence),
  );

const NOT_MEANT = defineLineTest(
  () => / (?:to|not|never|no|before|until|without|instead of|rather than|that|which|old) $/,
);
const MEANT = defineLineTest(
  () => / (?:go to|going to|want to|plan to|be to|need to|have to|be go to|goal be to) $/,
);
const GET_READY = definePattern(
  "(get|do|make|finish|complete|put|call|turn|set_up|start|add|have|drop|move|update|write) (it|this|that|on|to|sure|a (note|look|branch|pr))? (ready|plan|note|commit|pr|branch|docs|readme|by)",
);

const codeFits = (sentence: Sentence): Fit[] =>
  findFits(sentence, CODE).filter(({ from, to }) => {
    const object = { from: from + 1, to: Math.min(to, from + 4) };
    if (fitsAnywhere(sentence, NOT_CODE_OBJECT, object)) return false;
    const before = lineOf(sentence, 0, from);
    if (passes(NOT_MEANT, before, sentence) && !passes(MEANT, before, sentence)) return false;
    return !fitsAt(sentence, GET_READY, from);
  });

const DONE = [
  "do with the? (code|implementation|coding|feature)",
  "(contain|have) only? the? (code|implementation) (.|,|;)",
  "(command|feature|code|function|it|fix|implementation|page|that|validator|everything) (now|finally)? (work|run|compile) (now|fine)? (.|;|,)",
  "(be|now|already|have) *2 (finish|do|ready|complete|implement|in place|there|write|build|fix|merge|stable|code)",
].map(definePattern);
const STARTS_DONE = definePattern(
  "(i|we)? have? (already|just)? (implement|finish|fix|build|write|code|complete|patch|refactor|add)",
);
const isDone = (sentence: Sentence): boolean =>
  fitsAt(sentence, STARTS_DONE, 0) || DONE.some((pattern) => fitsAnywhere(sentence, pattern));

/** "3. Added tests", "[x] tests": a list of what was done says nothing of its order. */
const isReported = (sentence: Sentence, { from }: Fit): boolean => {
  const tenses = [sentence.words[0], sentence.words[from]].map((word) => word?.tense);
  return (
    sentence.checked === true ||
    tenses.includes("past") ||
    tenses.includes("s") ||
    (sentence.words[0]?.tense === "ing" && sentence.checked === undefined)
  );
};
const STEP_OF_TESTS = definePattern("(test|testing|testfile|coverage)");
const NOT_WRITING_TESTS = definePattern(
  "(run|rerun|execute|pass|green|red|skip|disable|fix|delete|remove|existing|fail|failing|suite|not|no|never|check|read|review|see|watch|make it|stay|keep|characterization|without|until|all|enable|with its own|manual)",
);
const NOT_A_CODE_STEP = defineLineTest(
  () =>
    /^ (?:(?:i |we |then |and |next |finally |first )*)(?:read|plan|research|review|docs?|document|commit|push|pr|open|merge|deploy|release|ship|ask|discuss|reproduce|measure|benchmark|look|check|understand|clone|branch|create a branch|checkout|checkout|investigate|find|think|sketch|decide|collect|list|run|update (?:the )?(?:docs?|readme|changelog)|changelog|readme|see|watch|write (?:the )?(?:docs?|changelog|readme|rfc|spec|plan|ticket)|manual|verify|demo|refactor|cleanup|clean_up|tidy|squash|rebase|pull|fetch|install|done|repeat|stub|skeleton|submit|get feedback|spec|agree|feedback|approval|\. ) /,
);

const READS = definePattern("(read|review|look|study|understand|open|skim|inspect|discuss)");
const ENDS_WITH = defineLineTest(
  () => /^ (?:finish|conclude|end|close|wrap_up|round|top|follow|follow_up) (?:[^ ]+ )?(?:with|by|up) /,
);
const RED_TESTS = [
  "(failing|red) *3 (test|suite)",
  "(test|suite) *6 (be already? red|fail|be already red|already red|exist|red)",
  "(tdd|test first|test-first|test-driven)",
].map(definePattern);
const AHEAD = defineLineTest(
  () =>
    / (?:will|next|now|go to|to|tomorrow|still|be go to|shall|pr will|time to|next up be|come|up) (?:[^ ]+ ){0,4}$/,
);
const ABOUT_TESTS = definePattern("(test|testing|suite|runtests|testfile|coverage|red)");
const CHECKED = definePattern("(test|suite|review|runtests|ci)");
const TESTS = definePattern("(test|suite)");
const TESTS_FIRST = new Set(["test", "suite", "tdd", "test-first", "test-driven"]);
const STEP_TESTS = new Set(["test", "testing", "coverage", "testfile"]);
const STEP_HEADS = new Set(["first", "day", "step", "then", "morning", "code", "implementation"]);
const SAYS_DONE = new Set(["ready", "contain", "code", "be", "work", "run"]);

export const readEvents = (doc: Doc): PlanEvent[] => {
  const events: PlanEvent[] = [];
  for (const [index, sentence] of doc.sentences.entries()) {
    const base = index * 1000;
    const reading = fitsAnywhere(sentence, READS, { from: 0, to: 3 });
    const tests = reading ? [] : testWrites(sentence);
    const step = reading ? undefined : findTestStep(sentence);
    const inSteps = sentence.step !== undefined;
    const noun = tests.length === 0 && !reading ? (step ?? lastClauseTest(sentence)) : undefined;
    for (const fit of noun ? [...tests, noun] : tests) {
      if (inSteps && isReported(sentence, fit)) continue;
      const inside = lineOf(sentence, fit.from, fit.to + 1);
      const sequenced =
        inSteps ||
        (fit === noun && noun !== step) ||
        (noun !== undefined && fitsAnywhere(sentence, SEQUENCE)) ||
        fitsJustBefore(sentence, SEQUENCE_BEFORE, { before: fit.from, most: SEQUENCE_WORDS }, endsSequence) ||
        passes(ENDS_WITH, inside, sentence) ||
        isToCome(doc, index, fit);
      const red =
        !sequenced &&
        fitsAnywhere(sentence, RED, {
          from: fit.from,
          to: Math.min(fit.to + 6, sentence.words.length - 1),
        }) &&
        !/ (?:first|before|existing|already) $/.test(inside);
      events.push({
        kind: red ? "test-exists" : "test-write",
        sentence: index,
        fit,
        order: base + fit.from,
        sequenced,
      });
    }
    if (RED_TESTS.some((pattern) => fitsAnywhere(sentence, pattern))) {
      const at = sentence.words.findIndex(({ lemma }) => TESTS_FIRST.has(lemma));
      events.push({
        kind: "test-exists",
        sentence: index,
        fit: { from: at, to: at },
        order: base + Math.max(at, 0),
        sequenced: false,
      });
    }
    if (
      inSteps &&
      !isReported(sentence, { from: 0, to: 0 }) &&
      tests.length === 0 &&
      !noun &&
      !reading &&
      fitsAnywhere(sentence, STEP_OF_TESTS) &&
      !fitsAnywhere(sentence, NOT_WRITING_TESTS)
    ) {
      const at = sentence.words.findIndex(({ lemma }) => STEP_TESTS.has(lemma));
      if (at >= 0)
        events.push({
          kind: "test-write",
          sentence: index,
          fit: { from: at, to: at },
          order: base + at,
          sequenced: true,
        });
    }
    if (inSteps && !fitsAnywhere(sentence, ABOUT_TESTS) && !passes(NOT_A_CODE_STEP, sentence.line, sentence))
      events.push({ kind: "code", sentence: index, fit: { from: 0, to: 0 }, order: base, sequenced: true });
    const codes = codeFits(sentence).filter(
      ({ from }) => !tests.some((fit) => from >= fit.from && from <= fit.to),
    );
    for (const fit of codes)
      events.push({
        kind: "code",
        sentence: index,
        fit: { from: fit.from, to: fit.from },
        order: base + fit.from,
        sequenced: inSteps,
      });
    const finished = codes.length === 0 && isDone(sentence) && !fitsAnywhere(sentence, CHECKED);
    const later = noun ?? tests[0];
    if (finished || (later && codes.length === 0 && later.from > 3)) {
      const [thing] = findFits(sentence, CODE_NOUNS);
      const at =
        thing && thing.from < (later?.from ?? Infinity) ? thing : finished ? { from: 0, to: 0 } : undefined;
      if (at)
        events.push({ kind: "code", sentence: index, fit: at, order: base + at.from, sequenced: inSteps });
    }
    if (codes.length === 0 && !noun && tests.length === 0) {
      const [nounFit] = findFits(sentence, CODE_NOUNS);
      if (
        nounFit &&
        (inSteps || STEP_HEADS.has(sentence.words[0]?.lemma ?? "")) &&
        !fitsAnywhere(sentence, NOT_CODE_OBJECT)
      )
        events.push({
          kind: "code",
          sentence: index,
          fit: nounFit,
          order: base + nounFit.from,
          sequenced: inSteps,
        });
    }
  }
  return events.sort((a, b) => a.order - b.order);
};

/** The code is said to be done and the test to be still ahead. */
const isToCome = (doc: Doc, index: number, fit: Fit): boolean => {
  const sentence = doc.sentences[index];
  if (!sentence) return false;
  const verb = sentence.words[fit.from];
  const before = lineOf(sentence, 0, fit.from);
  const future = verb?.tense === "ing" || passes(AHEAD, before, sentence);
  if (!future || verb?.tense === "past") return false;
  const sameSentence = { ...sentence, line: before, words: sentence.words.slice(0, fit.from) };
  const earlier = [...doc.sentences.slice(Math.max(0, index - 2), index), sameSentence];
  return earlier.some(
    (other) =>
      other.words.some(({ tense, lemma }) => tense === "past" || SAYS_DONE.has(lemma)) &&
      isDone(other) &&
      !fitsAnywhere(other, TESTS),
  );
};
