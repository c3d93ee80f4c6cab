import { findFits, type Fit } from "../language/frame.ts";
import { definePattern } from "../language/patterns.ts";
import type { Sentence } from "../language/sentences.ts";
import { type Doc, lineOf } from "./rule.ts";

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
const NOT_CODE_OBJECT =
  / (?:test|suite|testing|testcase|assertion|testfile|pr|docs?|readme|changelog|commit|branch|ticket|plan|note|notes|coverage|screenshot|screenshots|rfc|sure|stub|skeleton|mock|fixture|fixtures|them|it (?:pass|fail|green)|the run|review|runtests|list|typo|commits|database (?:up|in)|pass|green|red) /;
const RED =
  / (?:fail|failing|fails|red|first|tdd|tests? first|test-first|test-driven|characterization|see it fail|before|acceptance|reproduces|reproduce|existing|already|contract|drives) /;
const SEQUENCE =
  / (?:then|than|now|afterwards|afterward|after that|next|finally|lastly|later|follow|followed|second|last|at_end|subsequently|tomorrow|and finish with|thereafter|after which|once|when|to finish|round off|after this|in a second|as a second|only|only then|missing|remain|remains|remaining|afternoon|still|tonight) /;
const SEQUENCE_BEFORE =
  /(?: (?:then|than|afterwards|afterward|after that|after all (?:that|this)|next|finally|lastly|later|subsequently|second|last|and then|tomorrow|once (?:[^ ]+ ){1,7}|when (?:[^ ]+ ){1,7}|after (?:[^ ]+ ){1,4}|follow (?:it )?(?:up )?(?:by|with)?|thereafter|finish with|and finish|after which|whereupon|end by|end with|conclude with|conclude by|close with|followedby|time to|ready to|in the end|at_end) (?:[^ ;.]+ ){0,5})$/;

const testWrites = (sentence: Sentence): Fit[] =>
  TEST_WRITES.flatMap((pattern) => findFits(sentence, pattern)).filter(({ from, to }) => {
    const inside = lineOf(sentence, from, to + 1);
    const after = lineOf(sentence, to + 1, sentence.words.length);
    if (/ (?:suite|runtests|run|rerun|pass|existing) /.test(inside)) return false;
    if (
      / (?:get|make|have|put|update|do|complete) (?:[^ ]+ )*test $/.test(inside) &&
      /^ (?:run|pass|green|to run|to pass|command|script)/.test(after)
    )
      return false;
    return (
      !/^ (?:job|runner|script|command|id|framework|environment|server|account|data|user|page|button|container|step|pass|stage|drive|print|variant|plan|report|pipeline|matrix)\b/.test(
        after,
      ) || / where /.test(after)
    );
  });

/** A step that is nothing but tests: "5. unit tests", "finally the specs". */
const isTestStep = (sentence: Sentence): Fit | undefined => {
  if (!sentence.words.some(({ lemma }) => lemma === "test" || lemma === "testing")) return undefined;
  const content = sentence.line.replace(/ [,;:().!?>]/g, "");
  const match =
    /^ (?:(?:and|then|next|finally|lastly|afterwards|after that|last|the|a|an|some|its|for|at_end|day|step|later|now|by|\d+|with|plus|also|follow by) ){0,4}(?:[^ ]+ ){0,3}?(?:test|testing)(?: (?:for|of|on|to|in|cover|that|which|around|against|come|follow|with|at_end|and|pass|be|case|the next|as) .*)? $/.exec(
      content,
    );
  if (
    !match ||
    / (?:run|rerun|execute|pass|suite|skip|disable|failing|green|red|not|no|never|existing|check|fix|implement|delete|remove|read|repair|make|be red|be green|remain red) /.test(
      content,
    )
  )
    return undefined;
  const at = sentence.words.findIndex(({ lemma }) => lemma === "test" || lemma === "testing");
  return { from: at, to: at };
};

const LAST_CLAUSE = definePattern(
  "(then|next|finally|lastly|at_end|later|afterwards|after that|last|followedby|subsequently|(conclude|end|close|finish|wrap_up|round off|wind up) (with|by|on)) ~5 (test|testing)",
);

/** "…, next the repository method, and at the end a test" */
const lastClauseTest = (sentence: Sentence): Fit | undefined =>
  findFits(sentence, LAST_CLAUSE).filter(
    ({ from, to }) =>
      !/ (?:run|rerun|suite|full|whole|existing|pass|check|all|skip|disable|delete|remove|fix|read|review|see|watch|red|fail|make|until|so|that|connect|execute|have|already|right|correct) /.test(
        lineOf(sentence, from, to + 1),
      ) &&
      !/^ (?:(?:the )?(?:run|pass|be green|again)|, (?:and )?then (?:the |real )*(?:code|logic|implementation|body|real|implement))/.test(
        lineOf(sentence, to + 1, sentence.words.length),
      ),
  )[0];

const codeFits = (sentence: Sentence): Fit[] => {
  const fits = findFits(sentence, CODE).filter(({ from, to }) => {
    const inside = lineOf(sentence, from, to + 1);
    const before = lineOf(sentence, 0, from);
    if (NOT_CODE_OBJECT.test(lineOf(sentence, from + 1, Math.min(to + 1, from + 5)))) return false;
    if (
      / (?:to|not|never|no|before|until|without|instead of|rather than|that|which|old) $/.test(before) &&
      !/ (?:go to|going to|want to|plan to|be to|need to|have to|be go to|goal be to) $/.test(before)
    )
      return false;
    return !/^ (?:get|do|make|finish|complete|put|call|turn|set_up|start|add|have|drop|move|update|write) (?:it|this|that|on|to|sure|a (?:note|look|branch|pr))? ?(?:ready|plan|note|commit|pr|branch|docs|readme|by)/.test(
      inside,
    );
  });
  return fits;
};

const DONE =
  / do with (?:the )?(?:code|implementation|coding|feature) | (?:contain|have) (?:only )?(?:the )?(?:code|implementation) [.,;]| (?:command|feature|code|function|it|fix|implementation|page|that|validator|everything) (?:now |finally )?(?:work|run|compile) (?:now |fine )?[.;,] | (?:be|now|already|have) (?:[^ ]+ ){0,2}(?:finish|do|ready|complete|implement|in place|there|write|build|fix|merge|stable|code) |^ (?:i |we )?(?:have )?(?:already |just )?(?:implement|finish|fix|build|write|code|complete|patch|refactor|add) /;

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
const STEP_OF_TESTS = / (?:test|testing|testfile|coverage) /;
const NOT_WRITING_TESTS =
  / (?:run|rerun|execute|pass|green|red|skip|disable|fix|delete|remove|existing|fail|failing|suite|not|no|never|check|read|review|see|watch|make it|stay|keep|characterization|without|until|all|enable|with its own|manual) /;
const NOT_A_CODE_STEP =
  /^ (?:(?:i |we |then |and |next |finally |first )*)(?:read|plan|research|review|docs?|document|commit|push|pr|open|merge|deploy|release|ship|ask|discuss|reproduce|measure|benchmark|look|check|understand|clone|branch|create a branch|checkout|checkout|investigate|find|think|sketch|decide|collect|list|run|update (?:the )?(?:docs?|readme|changelog)|changelog|readme|see|watch|write (?:the )?(?:docs?|changelog|readme|rfc|spec|plan|ticket)|manual|verify|demo|refactor|cleanup|clean_up|tidy|squash|rebase|pull|fetch|install|done|repeat|stub|skeleton|submit|get feedback|spec|agree|feedback|approval|\. ) /;

export const readEvents = (doc: Doc): PlanEvent[] => {
  const events: PlanEvent[] = [];
  for (const [index, sentence] of doc.sentences.entries()) {
    const base = index * 1000;
    const reading = / (?:read|review|look|study|understand|open|skim|inspect|discuss) /.test(
      lineOf(sentence, 0, 4),
    );
    const tests = reading ? [] : testWrites(sentence);
    const step = reading ? undefined : isTestStep(sentence);
    const inSteps = sentence.step !== undefined;
    const noun = tests.length === 0 && !reading ? (step ?? lastClauseTest(sentence)) : undefined;
    for (const fit of noun ? [...tests, noun] : tests) {
      if (inSteps && isReported(sentence, fit)) continue;
      const inside = lineOf(sentence, fit.from, fit.to + 1);
      const before = lineOf(sentence, 0, fit.from);
      const sequenced =
        inSteps ||
        SEQUENCE_BEFORE.test(before) ||
        /^ (?:finish|conclude|end|close|wrap_up|round|top|follow|follow_up) (?:[^ ]+ )?(?:with|by|up) /.test(
          inside,
        ) ||
        (fit === noun && noun !== step) ||
        (noun !== undefined && SEQUENCE.test(sentence.line)) ||
        isToCome(doc, index, fit);
      const red =
        RED.test(`${inside}${lineOf(sentence, fit.to + 1, fit.to + 7)}`) &&
        !/ (?:first|before|existing|already) $/.test(inside) &&
        !sequenced;
      events.push({
        kind: red ? "test-exists" : "test-write",
        sentence: index,
        fit,
        order: base + fit.from,
        sequenced,
      });
    }
    if (
      / (?:failing|red) (?:[^ ]+ ){0,3}(?:test|suite) | (?:test|suite) (?:[^ ]+ ){0,6}(?:be (?:already )?red|fail|be already red|already red|exist|red) |tdd|test first|test-first|test-driven/.test(
        sentence.line,
      )
    ) {
      const at = sentence.words.findIndex(({ lemma }) =>
        /^(?:test|suite|tdd|test-first|test-driven)$/.test(lemma),
      );
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
      STEP_OF_TESTS.test(sentence.line) &&
      !NOT_WRITING_TESTS.test(sentence.line)
    ) {
      const at = sentence.words.findIndex(({ lemma }) => /^(?:test|testing|coverage|testfile)$/.test(lemma));
      if (at >= 0)
        events.push({
          kind: "test-write",
          sentence: index,
          fit: { from: at, to: at },
          order: base + at,
          sequenced: true,
        });
    }
    if (
      inSteps &&
      !/ (?:test|testing|suite|runtests|testfile|coverage|red) /.test(sentence.line) &&
      !NOT_A_CODE_STEP.test(sentence.line)
    )
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
    const finished =
      codes.length === 0 &&
      DONE.test(sentence.line) &&
      !/ (?:test|suite|review|runtests|ci) /.test(sentence.line);
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
        (inSteps || /^ (?:first|day|step|then|morning|code|implementation) /.test(sentence.line)) &&
        !NOT_CODE_OBJECT.test(sentence.line)
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
  const future =
    verb?.tense === "ing" ||
    / (?:will|next|now|go to|to|tomorrow|still|be go to|shall|pr will|time to|next up be|come|up) (?:[^ ]+ ){0,4}$/.test(
      before,
    );
  if (!future || verb?.tense === "past") return false;
  const sameSentence = { ...sentence, line: before, words: sentence.words.slice(0, fit.from) };
  const earlier = [...doc.sentences.slice(Math.max(0, index - 2), index), sameSentence];
  return earlier.some(
    (other) =>
      DONE.test(other.line) &&
      other.words.some(
        ({ tense, lemma }) =>
          tense === "past" ||
          lemma === "ready" ||
          lemma === "contain" ||
          lemma === "code" ||
          lemma === "be" ||
          lemma === "work" ||
          lemma === "run",
      ) &&
      !/ (?:test|suite) /.test(other.line),
  );
};
