import { fitsAt } from "../../language/frame.ts";
import { definePattern } from "../../language/patterns.ts";
import { TW, T, BEYOND, AFTERWARDS, notRun, codeFollows, isToCome } from "./circumstances.ts";
import { afterOf, beforeOf, insideOf, linesBefore, restOf, type Frame } from "../rule.ts";

const CODE_NEXT = definePattern("the? (pr|to|each|one|we be)? (see it fail|implement|code|body)");

/** Tests put off: later, last, in another change. */
export const PUT_OFF: readonly Frame[] = [
  {
    name: "there will be tests",
    pattern: `(when|once|after|as|then|afterwards|later) *10 there (will|shall) be ^3 ${T}`,
    when: notRun,
  },
  {
    name: "tests are for later",
    pattern: `${T} ~2 (be|come) (for|something for|a matter of|a topic for|a job for) ~1 (afterwards|later|tomorrow|at_end|the end|next|another day|the afternoon|monday|friday)`,
    when: notRun,
  },
  {
    name: "tests put around it",
    pattern: `(then|afterwards|later|after that|next|finally|subsequently|once ~6|when ~6) *4 (put|lay|build|place|wrap) ~4 ${T} ~1 (under|around|over|beneath|behind|on)`,
    when: notRun,
  },
  {
    name: "tests still to be written",
    pattern: `(now|still|next|yet|then) *3 ${T} ~5 (need|have|remain|be left) to (be)? (write|add|create|do|make)`,
    when: notRun,
  },
  {
    name: "they come later",
    pattern: `(add|write|do|supply|provide|deliver|bring|contribute|submit) (them|those|these|one) ~2 ${BEYOND}`,
    when: (p) => / (?:test|testing|coverage) (?:[^|.]*)$/.test(`${linesBefore(p)}${beforeOf(p)}`.slice(-80)),
    despite: ["negated", "rejected"],
  },
  {
    name: "tests named as open",
    pattern: `${T} : ~2 (todo|tbd|pending|to come|wip|open|missing|not yet|none yet|outstanding|coming)`,
    when: (p) => notRun(p),
  },
  {
    name: "tests are on their way",
    pattern: `${T} ~2 (be come|be on their way|be in the making|be under way|be still open|be still to come|be still outstanding|be still pending|remain to be|still have to be|need to be write|have to be write|be yet to)`,
    when: (p) => notRun(p) && isToCome(p),
  },
  {
    name: "tests still to be written",
    pattern: `(still|yet|only|just) ~1 (need|have to|must|want|need to|has to|left to|to) ~3 (write|add|get|have|do|create)? ^4 ${T}`,
    when: (p) => notRun(p) && isToCome(p) && !/ not /.test(insideOf(p)),
  },
  {
    name: "tests not written yet",
    pattern: `(not|no) ~2 (write|have|add|get)? ~1 (any|the|a|its)? ^2 ${T} ~2 (yet|so far)`,
    despite: ["negated"],
    when: (p) =>
      notRun(p) &&
      isToCome(p) &&
      / (?:will|next|follow|later|after|once|soon|now|then|come|add) /.test(afterOf(p)),
  },
  {
    name: "tests retrofitted",
    pattern: `(retrofit|backfill|add|write|bolt on|supply) ^4 ${T} ~3 (retroactively|retrospectively|after the fact|post hoc|afterwards|in hindsight)`,
    when: notRun,
  },
  {
    name: "tests as the last step",
    pattern: `(last|final|closing|finishing) (step|thing|task|part|item|bit|touch|point|stage|phase) ~3 (be|:|,|will be)? ~3 ${T}`,
    when: (p) => notRun(p) && !/ (?:run|suite|full) /.test(p.sentence.line),
  },
  {
    name: "tests as the last step",
    pattern: `${T} ~3 (as|be|in|for) ~2 (last|final|closing) (step|thing|task|part|item|bit|stage|phase|point)`,
    when: notRun,
  },
  {
    name: "code now, test later",
    pattern:
      "(code|write|build|implement|finish|get|hack|fix|make) *7 (,|and|;|then) ~2 test (it|this|that|them)? (later|afterwards|after|at_end|last)",
    when: (p) => !/ by_hand /.test(restOf(p)),
  },
  {
    name: "tests later",
    pattern: `${TW} ^5 ${T} ~7 ${AFTERWARDS}`,
    when: (p) =>
      notRun(p) &&
      !codeFollows(p) &&
      !/ (?:before|until|first) /.test(insideOf(p)) &&
      !fitsAt(p.sentence, CODE_NEXT, p.fit.to + 1) &&
      !/ (?:last|next|second) $/.test(
        insideOf(p).replace(/ (?:last|next|second) $/, (m) =>
          /^ (?:week|year|month|sprint|release|iteration|pr|commit|page|\.|,|;|$)/.test(afterOf(p)) ? "" : m,
        ),
      ) &&
      !/ after (?:that )?$/.test(insideOf(p)),
  },
  {
    name: "tests later",
    pattern: `${TW} ^5 ${T} ~4 (after|once|when|as) ~2 (the|it|code|implement|implementation|everything|this|that|we|i|all|done|finish|function|feature|api|class|interface|handler|works|design|pr|fact|they|merge|deploy|release|launch|ship|whole|demo|fix|refactor|parser|change|line|stable)`,
    when: (p) =>
      notRun(p) &&
      !/ (?:test|red|fail|fails|failing|spec) (?:be |have )?/.test(afterOf(p).slice(0, 25)) &&
      !/ (?:that|which|for when|case) (?:[^ ]+ )*when /.test(insideOf(p)) &&
      !/ (?:exists|none|empty|user|throws|returns|crash|crashes|expires|clicks) /.test(afterOf(p)) &&
      !/ as (?:always|usual|we|it|they|the) /.test(insideOf(p)),
  },
  {
    name: "tests later",
    pattern: `${T} ~3 (come|go|be|follow|land|arrive|get write|get add|happen|appear|be write|be add|be do|get do|will) ~3 (last|later|after|afterwards|second|at_end|follow|to follow|tomorrow|when|once|to come|at the tail|next|in the next commit|following|behind|subsequently|missing|pending|outstanding|to be write|the last|then|eventually|due)`,
    when: (p) =>
      notRun(p) &&
      !/ (?:implement|code|body|then code|before) /.test(insideOf(p)) &&
      !/ (?:skip|red|run|fail|failing|slow|flaky|list|name) /.test(insideOf(p)) &&
      !/ be (?:[^ ]+ )*(?:next to|behind the flag|last in)/.test(insideOf(p)) &&
      !/^ (?:to|code|implementation|the body|page) /.test(afterOf(p)) &&
      (!/ (?:when|once|missing|pending) /.test(insideOf(p)) || isToCome(p)),
  },
  {
    name: "tests in a later change",
    pattern: `${T} ~12 ${BEYOND}`,
    when: (p) =>
      notRun(p) &&
      !/ (?:test) (?:job|data|result|server|runner|environment|account|stage|database|fixture) /.test(
        insideOf(p),
      ) &&
      !/ (?:skip|un-skip|enable|disable|red|flaky|old|fix|failing|slow|remove|delete|read|of the) /.test(
        `${insideOf(p)}${beforeOf(p).slice(-20)}`,
      ) &&
      !/^ (?:implement|code|rename|today|this)/.test(afterOf(p)) &&
      !/ (?:code|implementation|refactor|body|fix) (?:[^ ]+ )*(?:in|into|for|next|tomorrow|after) /.test(
        insideOf(p),
      ),
  },
  {
    name: "tests that get written afterwards",
    pattern: `${T} ~6 (be|get|will|can|could|we|i|which) ~3 (write|add|create|do|make|supply|provide|backfill|deliver|produce|tackle|begin|start|finish|schedule|plan|due) ~4 (after|later|afterwards|afterward|at_end|last|once|when|tomorrow|next|then|second|follow_up|subsequently)`,
    when: (p) => notRun(p) && !/^ (?:the )?(?:test|red|red test)/.test(afterOf(p)),
  },
  {
    name: "they come later",
    pattern: `(they|those|these|them) ~2 (come|follow|be|land|go|get|will|arrive|be add|be schedule|be plan|scheduled|planned) ~3 (later|next|follow_up|tomorrow|separately|follow|after|afterwards|pr|separate|another|ticket|for \\d+\\.\\d+|in \\d+\\.\\d+|schedule|plan)`,
    when: (p) =>
      / (?:test|testing|coverage) (?:[^|.]*)$/.test(`${linesBefore(p)}${beforeOf(p)}`.slice(-70)) &&
      / (?:no|without|missing|not|lack) (?:[^|]*)$/.test(`${linesBefore(p)}${beforeOf(p)}`.slice(-90)),
    despite: ["negated", "rejected"],
  },
  {
    name: "tests later",
    pattern: `${T} : ~3 (tomorrow|later|afterwards|last|next|monday|tuesday|wednesday|thursday|friday|follow|after)`,
    when: notRun,
  },
  {
    name: "tests will be done",
    pattern: `${T} ~3 (will|to) ~1 be ~1 (do|write|add|create|supply|provide|cover|finish|tackle)`,
    when: (p) => notRun(p) && isToCome(p),
  },
  {
    name: "no tests yet",
    pattern: `not ~4 (write|add|bother|start|make|have|think|worry) ~1 (with|about|on|any|the|a)* ^3 ${T} ~2 (yet|right now|at this point|at the moment|just yet)`,
    despite: ["negated"],
    when: (p) => notRun(p) && / (?:first|until|see|implement|code|work|approach|stable) /.test(afterOf(p)),
  },
  {
    name: "a ticket instead of the tests",
    pattern: `(ticket|issue|card|story|task|reminder|todo) ~3 (for|about|to) ~1 (add|write|the|missing|create)* ^3 ${T}`,
    when: (p) =>
      / (?:merge|ship|release|deploy|push|go_live|launch|open the pr) /.test(
        p.doc.sentences.map(({ line }) => line).join("|"),
      ) && !/ (?:fix|flaky|slow|failing) /.test(insideOf(p)),
  },
  {
    name: "a test for what was just done",
    pattern: `next i (will|shall|be go to) ^1 (add|write|create) ^5 ${T} for ~3 (fix|code|change|feature|function|bug) i (just)? (make|write|do|implement|fix|add)`,
  },
  {
    name: "tests on completion",
    pattern: `${T} ~5 (create|write|add|supply|provide|deliver) ~1 (upon|on|following) ~1 (completion|finish|acceptance|approval|merge|delivery)`,
    when: notRun,
  },
  {
    name: "tests on completion",
    pattern: `${T} ~4 when (you|i|we) (be|have|get) (through|do|finish|ready|there)`,
    when: notRun,
  },
];
