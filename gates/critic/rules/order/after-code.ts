import { TW, T, COVER, notRun, notAboutTests, isToCome, isAfterCode } from "./circumstances.ts";
import { afterOf, insideOf, restOf, type Frame } from "../rule.ts";

/** The order is said: code, then its tests. */
export const AFTER_CODE: readonly Frame[] = [
  {
    name: "tests left to the end",
    pattern: `(leave|keep|save) ^4 ${T} (to|till|until|for) (the)? (end|last|very end|finish)`,
  },
  { name: "tests left to the end", pattern: `(leave|keep|save) ^4 ${T} at_end` },
  {
    name: "built, then covered",
    pattern: "(build|make|code|write|implement|get) ~4 , (then|and then) test-cover ~2",
  },
  {
    name: "another PR for the tests",
    pattern: `(second|another|separate|next|later|follow_up|subsequent) ~1 (pr|release|change|commit|branch|version|sprint|iteration) ~1 (will|shall|can|for|with|to|that|bring|contain|add)* ~1 (contain|add|bring|have|carry|be|hold|deliver|cover|with|for)* ^4 ${T}`,
    when: (p) => notRun(p) && !/ (?:fix|flaky|failing|slow|fail) /.test(insideOf(p)),
  },
  {
    name: "after the launch, tests",
    pattern: `(after|once|following|post) ~1 (the|we|it|this)? ~1 (launch|release|merge|deploy|demo|deadline|go_live|holidays|rollout|ship) ~1 ,? *3 ${COVER}`,
    when: notRun,
  },
  {
    name: "code by noon, tests by night",
    pattern: `(code|feature|implementation|it|fix|function|work) ~3 by ~3 and ^3 ${T} ~1 by`,
  },
  {
    name: "tests follow",
    pattern: `${T} (to)? (follow|be to follow|to come|be come|later|afterwards|afterward|after|last|at_end|second|be next|eventually|tomorrow|soon)`,
    when: (p) =>
      (notRun(p) &&
        !/^ (?:the (?:implementation|code) (?:rule|guide)|red|fact|each|every|it|that|the|a|fail|failure|run)/.test(
          afterOf(p).replace(/^ the implementation/, ""),
        )) ||
      (/ (?:after) $/.test(insideOf(p)) &&
        /^ (?:the |a |my )?(?:implementation|code|coding|fix|feature|refactor|implement)/.test(afterOf(p)) &&
        notRun(p)),
  },
  {
    name: "tests can wait",
    pattern: `(${T}) ~6 (can|may|will|could|must|have to|should) (wait|come later|follow|be add later|be write later|be do later|come after|come second|come last)`,
  },
  {
    name: "tests put off",
    pattern: `(postpone|defer|delay|put_off|hold_off|hold_off_on|push_back|save|leave|keep|park|reserve|deprioritise|deprioritize|punt|schedule) (on|with|for|back)? ^4 ${T} ~3 (until|till|for|to|later|at_end|after|when|once|last|writing|tomorrow|now|next|as)?`,
    when: (p) =>
      notRun(p) &&
      (!/ (?:leave|keep|save) /.test(insideOf(p)) ||
        / (?:until|till|for|later|at_end|after|last|next|tomorrow|afternoon) /.test(restOf(p))) &&
      !/ (?:leave|keep) (?:[^ ]+ )*test (?:to|for) (?:nobody|it|as|green|the nightly|ci)/.test(restOf(p)) &&
      !/ (?:to|for) (?:ci|nightly|nobody)/.test(afterOf(p)) &&
      !/ (?:implementation|code|body) /.test(insideOf(p)),
  },
  {
    name: "before any test",
    pattern: `before (i|we|you|they|us)? (even|ever)? ${TW} (to)? (with|on|about|in)? (the|any|some|a|its|our|unit|write|writing|of|with|on|about|adding|add|their|all|my|single)* ^3 ${T}`,
    when: notRun,
  },
  {
    name: "code before tests",
    pattern:
      "(code|implementation|coding|implement|feature|fix|build|functionality|logic|production) ~3 before ~2 (the|any|a|its)? (test|testing)",
    when: (p) => notRun(p) && !/ before (?:[^ ]+ )?(?:red|run)/.test(insideOf(p)),
  },
  {
    name: "code first, tests second",
    pattern: `(code|implementation|implement|coding|feature|function|fix|build|get|make|logic|production) ~6 first *5 ${T}`,
    when: (p) =>
      notRun(p) &&
      !/ first (?:[^ ]+ )*(?:failing|red|run|existing) /.test(insideOf(p)) &&
      !/ (?:test|spec) /.test(
        insideOf(p)
          .replace(/ [^ ]+ $/, " ")
          .slice(0, -1),
      ),
  },
  {
    name: "first the code, then tests",
    pattern: `first (,|the|a|my)* ~2 (code|implementation|implement|coding|fix|feature|function|script|model|class|change|handler|migration|endpoint|logic|prototype|version) *12 (then|than|afterwards|after|finally|later|second|last|lastly) *4 ${T}`,
    when: (p) =>
      notAboutTests(p) && !/ (?:full|whole|complete|entire|all) (?:the )?(?:suite|test)/.test(insideOf(p)),
  },
  {
    name: "no tests until the code is there",
    pattern: `(not|no|never|nothing) ~6 ${T} ~3 (until|till|before|unless) ~8`,
    when: (p) =>
      notRun(p) &&
      !/ (?:until|till|before|unless) (?:[^ ]+ )*(?:test|red|merge|push|the suite) /.test(insideOf(p)) &&
      !/ (?:code|implement|implementation|skip|delete|touch|production) (?:[^ ]+ )*(?:until|before|till)/.test(
        insideOf(p),
      ),
    despite: ["negated"],
  },
  {
    name: "not starting with tests",
    pattern: `not ~4 (start|begin|go|lead) (with|by|from)? ~2 ${T}`,
    despite: ["negated"],
    when: notRun,
  },
  {
    name: "test-after",
    pattern:
      "(test-after|code-first|tests-after|test-last|tests-last|code-then-test|implementation-first|testing-last|test after for|tests after for)",
  },
  {
    name: "cover it once it runs",
    pattern:
      "(cover|lock|back|pin|secure|protect|nail|harden) (it|this|that|them|everything|the \\S+|all|with|down)* (with|by|in)? ^4 (test|testing) *2 (after|afterwards|later|at_end|next|then|the week after|once|when)",
    when: (p) => notRun(p),
  },
  {
    name: "once the code is there, tests",
    pattern: `(once|when|after|as|till|until|afterwards|now) *14 ${COVER}`,
    when: (p) => isAfterCode(p),
  },
  {
    name: "tests after the code",
    pattern: `${T} ~7 (after|behind|following|once) ~1 (the|my|its|that|all|writing|finishing)? ~1 (implementation|implement|code|coding|feature|function|fix|refactor|build|merge|it|that|everything|this|prototype|logic|rest)`,
    when: (p) =>
      notRun(p) &&
      !/ (?:red|fail|old|habit|existing) /.test(insideOf(p)) &&
      !/ (?:code|implementation) (?:[^ ]+ )*(?:after|once) /.test(insideOf(p)),
  },
  {
    name: "tests once it is accepted",
    pattern: `${TW} ^5 ${T} ~3 once *6`,
    when: (p) => notRun(p) && !/ (?:red|fail|test [^|]* test) /.test(insideOf(p)),
  },
  {
    name: "what remains is the tests",
    despite: ["a question about facts"],
    pattern: `(only|what|still|all|remains|left|remaining|missing|outstanding|open|next|to do|todo) ~3 (be|:|missing|remain|remains|leave|left|thing) ~3 (write|add|writing|its|the|unit|a|of)* ^2 ${T}`,
    when: (p) =>
      notRun(p) &&
      (isToCome(p) ||
        (insideOf(p).startsWith(" todo") &&
          / (?:merge|ship|push|release|deploy) /.test(p.doc.sentences.map(({ line }) => line).join("|")))) &&
      !/ (?:what|next) (?:[^ ]+ )*(?:test (?:list|run))/.test(insideOf(p)),
  },
];
