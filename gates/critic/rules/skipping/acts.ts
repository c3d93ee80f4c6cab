import { defineLineTest } from "../../language/line-test.ts";
import { joined, isRightRemoval, isPlainSkip, isAboutTests } from "./circumstances.ts";
import { beforeOf, insideOf, restOf, type Frame, says } from "../rule.ts";

const T = "(test|suite|assertion|testfile|testing|runtests|check|expectation|e2e)";
const TEST_NOUN = "(test|suite|testfile|testing|runtests|assertion)";

const TEST_DATA = defineLineTest(
  () =>
    / (?:test|suite) (?:[^ ]+ ){0,2}(?:data|account|user|database|output|artifact|artifacts|branch|server|page|folder|fixture|container|row|sites?|helper|double|cache|report)/,
);
/** Tests skipped, disabled, deleted or ignored. */
export const ACTS: readonly Frame[] = [
  {
    name: "tests left switched off",
    pattern: "(leave|keep) ^4 (test|suite|spec) ~1 (disable|skip|off|comment_out|exclude|mute|red)",
    when: (p) => isPlainSkip(p),
  },
  {
    name: "a run cut short",
    pattern: "(cut|break|stop|abort|end) ^4 (run|suite|test) (short|off|early)",
    when: isPlainSkip,
  },
  {
    name: "skip the tests",
    pattern: `<skip> (over|on|out|past)? ^6 ${T}`,
    when: (p) =>
      (isPlainSkip(p) && !/ (?:skip|omit) (?:[^ ]+ )*check /.test(insideOf(p))) ||
      (/ (?:skip|bypass|omit) (?:the |all |any |required |pre-commit |ci |test |status )*check /.test(
        insideOf(p),
      ) &&
        isPlainSkip(p)),
  },
  {
    name: "disable tests",
    pattern: `<disable> ^6 (test|suite|assertion|testfile|e2e|runtests|expect)`,
    when: isPlainSkip,
  },
  {
    name: "disable the test job",
    pattern:
      "(<disable>|<remove>|<skip>|neuter|cancel|stop) ^5 (test|e2e|ci|integration|required|unit|pre-push|pre-commit|husky|status|coverage) ^2 (job|step|stage|workflow|hook|check|pipeline|gate|threshold|requirement|jobs|steps|hooks|checks|run)",
    when: (p) => isPlainSkip(p) && !/ (?:hook only|formats?|cached|old job|duplicate) /.test(joined(p)),
  },
  {
    name: "keep the tests out of the run",
    pattern: `(exclude|ignore|keep|leave|hide|take|remove|filter|drop|move|rename|out_put|leave_out|filter_out|take_out) ^7 (from|in|out|to|so|of|away) ^4 (jest|vitest|pytest|mocha|karma|run|suite|pipeline|ci|config|runtests|jest.config|vitest.config|pytest.ini|workflow|jest.config.js|testmatch|discovery|runner|matrix)`,
    when: (p) =>
      / (?:test|testfile|spec|suite|file|files|red|reds|failing|them|e2e|case|cases|two|those|these|it|one) /.test(
        insideOf(p),
      ) &&
      isPlainSkip(p) &&
      / (?:fail|failing|red|reds|green|pick|break|broken|pass|slow|flaky|push|block) /.test(joined(p)) &&
      !/ (?:duplicate|none be drop|move the test from) /.test(joined(p)),
  },
  {
    name: "a test renamed so that it does not run",
    pattern: "(rename|move|mv) *8 (so|bak|disabled|skip|off|.bak|.skip) *10",
    when: (p) =>
      / (?:test|testfile|suite|spec|runtests|go) /.test(insideOf(p)) &&
      / (?:not|bak|skip|disabled|ignore) /.test(insideOf(p)) &&
      / (?:pick|run|bak|green|fail|disabled) /.test(insideOf(p)),
  },
  {
    name: "skip them",
    pattern:
      "(skip|omit|bypass|leave_out|<disable>|delete|remove|drop|ignore|take_out|<weaken>) (it|them|those|these|that one|this one|both|the rest|those two|the two|the whole thing|all of them|some of them|the file|the line|the block|that line|the job|the check|the step|the gate|the assert)",
    when: (p) => isAboutTests(p) && isPlainSkip(p),
  },
  {
    name: "delete tests",
    pattern: `<remove> ^5 (test|suite|assertion|testfile|expectation)`,
    when: (p) =>
      isPlainSkip(p) &&
      !isRightRemoval(p) &&
      !/(?:\/|\b)(?:tmp|temp|cache|output|results?)\b/.test(
        p.doc.text.slice(p.sentence.words[p.fit.from]?.start, p.sentence.words[p.fit.to]?.end),
      ) &&
      !says(p, TEST_DATA, restOf(p)),
  },
  {
    name: "ignore failing tests",
    pattern: `<ignore> ^5 (test|suite|failure|failures|reds|assertion|red|testfile|test result)`,
    when: (p) => isPlainSkip(p),
  },
  {
    name: "the tests are skipped",
    pattern: `${TEST_NOUN} ~4 (be|get|stay|remain|go|will be|are|have be) ~2 (<skip>|<disable>|ignore|optional|off|out|non-blocking|exclude|unrun|<remove>)`,
    when: (p) =>
      isPlainSkip(p) &&
      !/ (?:that|which) (?:have )?be /.test(insideOf(p)) &&
      !/ (?:if|when|fail when|because|why) (?:[^ ]+ )*$/.test(beforeOf(p).slice(-12)) &&
      !/ (?:no|not|none|never) /.test(insideOf(p)),
  },
  {
    name: "the check turned off",
    pattern: "(<disable>|bypass|skip|remove|drop) ^3 (check|gate|job|step|rule)",
    when: (p) => / (?:test|assertion|suite) /.test(joined(p)) && isPlainSkip(p),
  },
  { name: "tests skipped, object first", pattern: `(test|suite|spec) (skip|omit) (i|we)` },
  {
    name: "skip the flaky ones",
    pattern:
      "(<skip>|disable|ignore|quarantine|mute) ^2 (flaky|slow|failing|fail|red|broken|unstable) (one|ones|case|cases|file|files|bits)",
    when: (p) => isPlainSkip(p),
  },
  { name: "tests skipped", pattern: "(skip|skipped|omit|left out) : ^4 test" },
  {
    name: "a line of the test taken out",
    pattern: "(take|leave|cut|rip|pull|throw|comment|knock) ~7 (test|assertion|expect|suite) ~1 out",
    when: isPlainSkip,
  },
  {
    name: "commented-out assertion",
    pattern: "comment ^3 (assertion|expect|test|suite)",
    when: (p) =>
      p.sentence.words[p.fit.from]?.tense === "past" || p.sentence.words[p.fit.from]?.tense === "ing",
  },
  {
    name: "a test reverted",
    pattern: "revert ^4 test",
    when: (p) => isPlainSkip(p) && !/ (?:change|edit) /.test(insideOf(p)),
  },
  {
    name: "tests skipped, object first",
    pattern: `(test|suite|spec) (for this|today|this time|here)? (i|we|you) (will|can|could|shall|would|be|just)* (<skip>|<disable>|drop)`,
    when: isPlainSkip,
  },
];
