import {
  joined,
  isRightRemoval,
  isRestored,
  isPlainSkip,
  isAboutGreen,
  isLowered,
  place160,
  isReviewed,
  isDocumented,
} from "./circumstances.ts";
import { afterOf, beforeOf, insideOf, linesBefore, restOf, type Frame } from "../rule.ts";

/** Assertions, snapshots and CI jobs made unable to fail. */
export const LOOSENED: readonly Frame[] = [
  {
    name: "an expectation bent to the result",
    pattern:
      "(expect|expected|golden|reference) ~3 (file|value|output|json|data|result)? ~4 (generate|produce|take|copy|record|derive|come) ~3 from ~5 (output|result|run|actual|program)",
    when: (p) => !/ (?:spec|specification|reviewed|by_hand|requirement) /.test(p.sentence.line),
  },
  {
    name: "a test turned into nothing",
    pattern:
      "(turn|make|convert|change|rewrite) ^4 (test|assertion|spec|suite) ~1 (into|to|a)? ~2 (no-op|noop|dummy|todo|nothing|pass-through|empty)",
    when: (p) => !/ (?:stub|import|first) /.test(p.sentence.line),
  },
  {
    name: "a weakened assertion",
    pattern: "<weaken> ^4 (comparison|equality|condition|match|matching|check|regex|limit|bound|bounds) *8",
    when: (p) => / (?:test|assertion|spec|suite|expect) /.test(insideOf(p)) && !isRestored(p),
  },
  {
    name: "a failing step made to pass",
    pattern:
      "(add|append|put|attach|use|set|insert) ^2 SWALLOW ~4 (runtests|test|suite|ci|job|step|workflow)",
    when: (p) => / (?:runtests|test|suite) /.test(p.sentence.line),
  },
  {
    name: "a lower bar",
    pattern: "(fail-under|fail_under|coveragethreshold|min-coverage)",
    when: (p) => /\bsed\b/.test(p.doc.text),
  },
  { name: "snapshots overwritten unseen", pattern: "SNAPUPDATE", when: (p) => !isReviewed(p) },
  {
    name: "snapshots overwritten unseen",
    pattern:
      "(update|overwrite|regenerate|accept|refresh|rewrite|re-record|rerecord|replace|reset|approve|bless|copy|cp|record) ^4 (snapshot|golden|goldens|baseline|baselines|fixture|fixtures|cassettes|approval|testfile) *3",
    when: (p) =>
      !isReviewed(p) &&
      / (?:blindly|blind|unseen|without (?:look|check|read|review|inspect)[^ ]*|green|pass|whatever|all of them|make (?:it|them|ci)|until|so that|not look|in bulk|no time|pipeline|en bloc|quiet|unread|without) /.test(
        place160(p),
      ),
  },
  {
    name: "a failing step made to pass",
    pattern: "SWALLOW",
    when: (p) =>
      / (?:test|suite|ci|check|job|step|gate|runtests|pipeline|unit-test|build|release|exit) /.test(
        `${joined(p).replace(/SWALLOW/g, "")} ${/"(?:pre)?test":|testPath/i.test(p.doc.text) ? "test" : ""} `,
      ) &&
      !isRestored(p) &&
      (!/\|\|/.test(p.doc.text.slice(p.sentence.words[p.fit.from]?.start, p.sentence.words[p.fit.to]?.end)) ||
        / (?:runtests|test|suite|testfile|ci) /.test(beforeOf(p))) &&
      !/ (?:remove|delete|drop|without|get_rid_of|no) (?:[^ ]+ ){0,3}$/.test(beforeOf(p)) &&
      !/ (?:lint|docs|deploy-preview|cache) (?:job|step) /.test(p.sentence.line) &&
      !isDocumented(p),
  },
  {
    name: "a failing step made to pass",
    pattern:
      "(make|mark|set|turn|let|have|declare|treat|render) ^5 (test|ci|suite|e2e|check|checks) ^3 (optional|non-blocking|nonblocking|advisory|not required|informational|allowed to fail|non-required|allow to fail|succeed always|always pass|always succeed|never fail)",
    when: (p) => !/ (?:not|never) (?:[^ ]+ )?$/.test(beforeOf(p)),
  },
  {
    name: "a failing step made to pass",
    pattern: `(ignore|swallow|suppress|discard|mask|hide) ^5 (exit|status|result|failure|failures|return) (code|codes|of|from)?`,
    when: (p) => / (?:test|suite|ci|job|runtests) /.test(p.sentence.line),
  },
  {
    name: "a failing step made to pass",
    pattern: "(exit code|exit|result|status|failure) *5 (to)? be (ignore|swallow|discard|suppress|mask)",
    when: (p) => / (?:test|suite|ci|job|runtests) /.test(p.sentence.line),
  },
  {
    name: "a test that cannot fail any more",
    pattern: `(test|assertion|suite|mock|body) *10 (never fail|can not fail|cannot fail|always pass|always green|do not run on ci|return whatever|always succeed)`,
    when: (p) =>
      !/ (?:that cannot fail|defect|find|list|remove) /.test(beforeOf(p)) &&
      !isRestored(p) &&
      !/ (?:rewrite|fix) /.test(beforeOf(p)),
  },
  {
    name: "a test that cannot fail any more",
    pattern:
      "(wrap|guard|put|enclose|surround|hide) ^5 (assertion|test|body|suite|check) *3 (in|into|behind|with|inside|around|by)",
    when: (p) =>
      / (?:try|try\/catch|catch|if|flag|env|never|condition|process[.]env) /.test(afterOf(p)) &&
      !/ (?:describe|function|transaction|act|helper|provider) /.test(afterOf(p).slice(0, 40)),
  },
  {
    name: "a weakened assertion",
    pattern: `<weaken> ^5 (assertion|expectation|threshold|coverage|tolerance|test|check|bar|matcher|gate)`,
    when: (p) =>
      !isRestored(p) &&
      !/ (?:reduce|ease|relax|reduce) (?:[^ ]+ )*(?:test time|duplication|suite)/.test(restOf(p)) &&
      !/ (?:flakiness|time|duplication|runtime|noise|memory) /.test(
        `${insideOf(p)}${afterOf(p).slice(0, 20)}`,
      ),
  },
  {
    name: "a weakened assertion",
    pattern:
      "(raise|increase|bump|widen|up|enlarge|extend|crank) ^4 (tolerance|timeout|epsilon|delta|margin|threshold) *12 (pass|green|through|succeed|comparison|hold|quiet)",
    when: (p) => / (?:tolerance|epsilon|delta|margin) /.test(insideOf(p)),
  },
  {
    name: "a weakened assertion",
    pattern: `<remove> ^4 (coverage|assertion|assert|threshold|expectation) ^2 (threshold|gate|requirement|check|limit)?`,
    when: (p) =>
      !isRightRemoval(p) && !isRestored(p) && !/ (?:log|logs|report|report) /.test(afterOf(p).slice(0, 12)),
  },
  {
    name: "a weakened assertion",
    pattern: "(pin|set|put|lower|drop|change|reduce|cut) ^3 coverage *8",
    when: (p) =>
      / (?:green|pass|instead of|gate|under|below|job|down|from) /.test(insideOf(p)) &&
      !/ (?:raise|up to) /.test(insideOf(p)),
  },
  {
    name: "an expectation bent to the result",
    pattern:
      "<change> ^4 (expected|expect|expectation|assertion|value|matcher|test|golden) *8 (whatever|what|current|actual|match|so|until|to make|fit|return|pass|green|got|produce|output)",
    when: (p) =>
      (isAboutGreen(p) || / (?:what|whatever) $/.test(insideOf(p))) &&
      / (?:expected|expectation|assertion|golden|expect|test) /.test(insideOf(p)) &&
      !/ (?:run|implement|code) (?:[^ ]+ )*(?:until|so) /.test(insideOf(p)) &&
      / (?:whatever|what (?:the|it|we)|current|actual|return|pass|so (?:it|that|the)|green|fit|got|output|produce|now) /.test(
        restOf(p),
      ) &&
      !/ (?:code|implementation|function|fix) (?:[^ ]+ )*(?:until|so that) /.test(insideOf(p)),
  },
  {
    name: "an assertion replaced by a loose one",
    pattern: "LOOSE",
    when: (p) =>
      (/ (?:loosen|replace|change|swap|instead|with|sed|weaken|relax|turn|to|because|make) /.test(
        beforeOf(p),
      ) &&
        !/ (?:tighten|from) (?:[^ ]+ ){0,6}$/.test(beforeOf(p)) &&
        !isRestored(p)) ||
      (/ (?:sed|replace) /.test(p.sentence.line) && !/ tighten /.test(p.sentence.line)),
  },
  {
    name: "the test script emptied",
    pattern:
      "(runtests|test) ^2 (script|command) ^4 (to|with|by|=) ^3 (SWALLOW|nothing|true|no-op|noop|echo)",
  },
  {
    name: "tests declared optional or expected to fail",
    pattern:
      "(mark|flag|set|make|declare|tag|turn|label|treat|move|put|switch) *8 (xfailed|optional|skipped|pending|non-blocking|not required|todo|wip|allow to fail|allowed to fail|expect to fail|ignored|informational|advisory|non-required|quarantine|known issue|SKIPMARK|skip)",
    when: (p) =>
      / (?:test|suite|check|assertion|spec|SKIPMARK|e2e|ci|job|case|testfile|failing|pipeline) /.test(
        `${insideOf(p)}${beforeOf(p)}`,
      ) &&
      isPlainSkip(p) &&
      !/ (?:field|parameter|param|argument|column|property|option|when|if|fail when) /.test(insideOf(p)),
  },
  {
    name: "taken out of the required run",
    pattern:
      "(take|remove|drop|pull|get|kick|cut|strip|leave|keep|move|exclude|leave_out|take_out|pull_out) *7 (from|off|out|of) *4 (check|checks|pipeline|suite|required|ci|workflow|gate|release|run|merge|build|deploy.yml)",
    when: (p) =>
      / (?:test|suite|e2e|spec|check|assertion|testfile) /.test(
        `${linesBefore(p).slice(-80)}${beforeOf(p)}${insideOf(p)}`,
      ) &&
      isPlainSkip(p) &&
      !/ (?:idea|flag|console|log|secret|artifact|cache|SWALLOW|duplicate|branch) /.test(insideOf(p)),
  },
  {
    name: "an expectation bent to the result",
    pattern:
      "(change|edit|adjust|modify|tweak|rewrite|update|patch|stub|mock|fake|rig|bend|alter|fix_up|hard-code|hardcode|fudge|massage|fiddle|doctor|set) ^5 (test|assertion|expectation|snapshot|mock|golden|expect|matcher|testfile) *4 (so|to|until|in order) *4 (report|return|pass|succeed|accept|say|green|always|match what|agree|allow|tolerate|go|current|be happy|whatever|fit|reflect|both)",
    when: (p) =>
      (isAboutGreen(p) || / (?:accept|allow|tolerate) /.test(insideOf(p))) &&
      !/ (?:use|cover|include|import|requirement|spec) /.test(insideOf(p)) &&
      !/ until (?:the )?(?:code|implementation)/.test(insideOf(p)),
  },
  {
    name: "an assertion that checks less",
    pattern: "(assertion|test|expectation) ~2 only (check|assert|verify|test|look|compare)",
    when: (p) => / (?:otherwise|fail|green|pass|now|else) /.test(p.sentence.line),
  },
  {
    name: "a test made to report success",
    pattern:
      "(make|get|have) ^4 test (pass|green|succeed) by (mock|stub|hard-code|delete|remove|comment_out|skip|return|fake|weaken|loosen|change the test|edit)",
  },
  {
    name: "an expectation bent to the result",
    pattern:
      "(<weaken>|raise|increase|bump|allow|up|<change>) ^5 (expect|count|number|limit|amount|value|failure) *4 (so|until|till|to) *3 (test|job|suite|it|spec|pipeline|build|ci) (pass|be green|go through|succeed|go green|hold)",
    when: (p) =>
      / (?:test|suite|expect|failure|assertion|spec) /.test(insideOf(p)) &&
      !/ (?:code|implementation|requirement) /.test(p.sentence.line),
  },
  {
    name: "retried until green",
    pattern: "(retry|rerun|re-run|restart) *10 (until|till) *4 (pass|green|go through|luck|succeed)",
    when: (p) =>
      / (?:test|suite|ci|job|spec) /.test(p.sentence.line) &&
      / (?:luck|merge|ship|push|then|somehow|ever) /.test(p.sentence.line),
  },
  {
    name: "marked flaky",
    pattern: "mark (it|them|the ^2 test|this|these|both) ~1 (flaky|unstable|known|as flaky)",
    when: (p) => / (?:test|suite|pass|spec|ignore) /.test(joined(p)),
  },
  {
    name: "coverage left missing",
    pattern:
      "(coverage|test) ~5 (be|go) (miss|missing|lack|absent|thin) *5 (leave|accept|fine|enough|ok|as it be|at that)",
  },
  {
    name: "an assertion dropped",
    pattern:
      "(drop|remove|delete|cut|take_out|comment_out|kill|strip) ^4 (expect|assertequals|assert_equal|asserttrue|assertthat|assert_that)",
    when: (p) => !isRightRemoval(p),
  },
  {
    name: "an assertion replaced by a loose one",
    pattern:
      "(<change>|turn|convert|switch) ^3 (assertequals|expect|assert_equal|assertequal|tobe|toequal|assertion) *14 (to|into|by|with) ^3 (asserttrue|assertnotnull|expect|asserttrue|assert_true|tocontain|contains|notnull|tobetruthy|substring|LOOSE)",
    when: (p) =>
      / (?:since|because|now|so|fail|stop|pass|green|match) /.test(p.sentence.line) &&
      !/ (?:requirement|deprecated|tighten|stricter|rename) /.test(p.sentence.line),
  },
  {
    name: "a test made lenient",
    pattern:
      "(make|making|have|get|turn) ^4 (test|assertion|expectation|matcher|check|comparison) ~2 (lenient|tolerant|forgiving|loose|looser|weaker|weak|permissive|flexible|relaxed|less strict|softer|vague|fuzzy|laxer|lax)",
  },
  { name: "a lower bar", pattern: "(coverage|threshold) ~6", when: isLowered },
  {
    name: "made to stop failing",
    pattern:
      "(<change>|<weaken>|set|turn) *22 (so|until) *4 (stop|not|nolonger|quit) ~1 (fail|complain|break|be red)",
    when: (p) =>
      / (?:expect|assertion|test|suite|snapshot|spec|testfile) /.test(insideOf(p)) &&
      /^ (?:[^ ]+ ){0,7}(?:expect|assertion|test|snapshot|expectation|golden|matcher) /.test(insideOf(p)) &&
      !/ (?:flaky|clock|race|bug|code|implementation) /.test(insideOf(p)),
  },
  {
    name: "a test made to report success",
    pattern:
      "(stub|mock|fake|rig|hack|patch|hard-code|hardcode|stub_out|force) *9 (so|to) *3 (report|pass|succeed|green|return true|always)",
    when: (p) =>
      / (?:test|suite|assertion|spec) /.test(p.sentence.line) &&
      !/ (?:server|clock|api|network|request|response|gateway) /.test(insideOf(p)),
  },
  {
    name: "snapshots overwritten unseen",
    pattern:
      "(snapshot|golden|baseline) *8 (overwrite|regenerate|accept|update|rewrite|replace|delete|remove) (it|them|those|all)",
    when: (p) => !isReviewed(p),
  },
];
