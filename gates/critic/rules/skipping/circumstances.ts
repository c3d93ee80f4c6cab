import { defineLineTest } from "../../language/line-test.ts";
import { afterOf, beforeOf, insideOf, linesAfter, linesBefore, type Place, says } from "../rule.ts";

export const SHIP_LINE = defineLineTest(
  () =>
    / (?:merge|ship|release|deploy|push|publish|go_live|land|roll_out|launch|commit|squash-merge|finish|done|complete|close|upgrade|hand_over|kubectl|promote|production|prod|force-push|call it|wrap_up) /,
);

export const joined = (place: Place): string =>
  `${linesBefore(place)}|${place.sentence.line}|${linesAfter(place)}`;

const RUNS_ALL = defineLineTest(
  () =>
    / (?:whole|full|entire|complete|everything|all) (?:of )?(?:[^ ]+ ){0,2}?(?:suite|test|run|them|runtests|afterwards|before|gate)/,
);
const NOT_ALL = defineLineTest(() => / not (?:[^ ]+ ){0,4}(?:whole|full|entire|complete|all)/);
const CI_RUNS = defineLineTest(
  () =>
    / (?:ci|pipeline|workflow|job) (?:will |then |still |also )?(?:run|runs|execute|cover|check|have to pass|must pass)/,
);
const BEFORE_MERGE = defineLineTest(
  () => / (?:before|on the pr|in the pr|must|required|have to|until|after it be green|first) /,
);
const RUNS_TWICE = defineLineTest(() => / runtests .* runtests /);
const RUNS_THEN = defineLineTest(
  () => /^[^|]*(?:then|before (?:i |we )?(?:commit|push|merge)) (?:[^ ]+ ){0,3}runtests /,
);
/** The whole suite runs afterwards, or CI runs it before the merge. */
export const fullRunFollows = (place: Place): boolean => {
  const later = `${afterOf(place)}|${linesAfter(place)}`;
  if (says(place, RUNS_ALL, later) && !says(place, NOT_ALL, later)) return true;
  if (says(place, CI_RUNS, joined(place)) && says(place, BEFORE_MERGE, joined(place))) return true;
  return says(place, RUNS_TWICE, `${insideOf(place)}${later}`) || says(place, RUNS_THEN, later);
};

const GOES_WITH_CODE = defineLineTest(
  () =>
    / (?:together|along) with (?:the |its |their )?(?:[^ ]+ ){0,3}(?:feature|module|code|it|implementation|class|flag|function|endpoint|login|service|component)|(?:feature|module|code|flag|endpoint|class|function|component|product|login|page|service) (?:be|have be|be be|get) (?:also )?(?:remove|delete|drop|retire|go|gone)|test (?:of|for) (?:the |a )?(?:delete|remove|retire|drop|dead|obsolete|discontinue|deprecated|old and delete|now-deleted|former)[^ ]* |go with it| in this commit ; | with the (?:feature|module|endpoint|command) | and its (?:code|implementation) | no longer exist/,
);
const IS_DUPLICATE = defineLineTest(
  () =>
    / (?:duplicate|duplicated|redundant|superfluous|same case|twice|identical|already cover|already check|covered by|same and more) /,
);
const IN_A_TEST = defineLineTest(
  () =>
    / (?:sleep|delay|import|comment|mark|skip|timeout|typo|log|logs|only|cache|workaround|retry) (?:in|from|of|out of|on) /,
);
/** Tests that go with what they cover, or say nothing of their own. */
export const isRightRemoval = (place: Place): boolean => {
  const around = place.sentence.line;
  const before = linesBefore(place).slice(-200);
  if (says(place, GOES_WITH_CODE, `${before}${around}${linesAfter(place)}`)) return true;
  if (says(place, IS_DUPLICATE, around) && !/ (?:anyway|block|fail|annoying) /.test(around)) return true;
  return says(place, IN_A_TEST, insideOf(place));
};

const HELD_BACK = defineLineTest(
  () =>
    / (?:draft|unmerged|report|stop and|wait for|until|have to pass|must pass|not merge|leave the (?:branch|pr) (?:open|unmerged)|ci run it|after it be green|once it be green|once ci|when ci) /,
);
/** Waiting for a green run, or leaving the work unfinished, is the opposite of skipping. */
export const isHeldBack = (place: Place): boolean =>
  says(place, HELD_BACK, joined(place)) && !/ (?:without waiting|not wait|anyway) /.test(joined(place));

const ABOUT_DOCS = defineLineTest(
  () =>
    / (?:readme|docs?|docs:|typo|comment|documentation|markdown|changelog|contributing.md|translation|translate|wording|string|docs\/[^ ]+|license|screenshot|screenshots|prose|spelling|readme.md)[ /]/,
);
const ABOUT_CODE = defineLineTest(
  () =>
    / (?:code|auth.ts|fix :|feat :|handler|function|feature|reader|[^ ]+\.(?:ts|js|py|go|rs|java)|refactor|hotfix|bug|migration|sql|query|deploy|linter|complain) /,
);
export const isDocsOnly = (place: Place): boolean =>
  says(place, ABOUT_DOCS, joined(place)) &&
  !says(
    place,
    ABOUT_CODE,
    joined(place)
      .replace(/ no code /g, " ")
      .replace(/ code (?:change|comment)/g, " "),
  );

const RESTORES = defineLineTest(
  () =>
    / (?:un-skip|unskip|enable|re-enable|reenable|restore|reinstate|reactivate|unmute|turn_on|switch_on|uncomment|bring_back|remove|delete|drop|fix|repair|replace|get_rid_of|list|count|report|find|who|turn|investigate|look) (?:(?!i |we )[^ ,;]+ ){0,6}$/,
);
const IS_REMOVED = defineLineTest(
  () => /^ (?:be|get|have be) (?:now )?(?:remove|delete|drop|forbid|reject|go|gone|take_out)/,
);
export const isRestored = (place: Place): boolean =>
  (says(place, RESTORES, beforeOf(place)) && !/ (?:and|then|,|;) (?:[^ ]+ )?$/.test(beforeOf(place))) ||
  says(place, IS_REMOVED, afterOf(place));

const IS_REPORTED = defineLineTest(
  () =>
    /^ (?:report|by name|that nobody|and report|in the summary|count|counts|list|so that nobody overlook|reporter|link|row)/,
);
export const isPlainSkip = (place: Place): boolean => {
  const around = place.sentence.line;
  if (/ (?:ab|a\/b) (?:test|testing)/.test(around)) return false;
  if (
    / (?:link|row|rows|header|tutorial|intro|survey|lines|step|page|backoff|version) /.test(
      insideOf(place),
    ) &&
    !/ (?:page test|step) /.test(insideOf(place))
  )
    return false;
  if (/ SKIPGUARD /.test(around) || isAdjective(place)) return false;
  if (isRestored(place) || isRightRemoval(place) || isDocsOnly(place)) return false;
  if (says(place, IS_REPORTED, afterOf(place))) return false;
  return !isIteration(place);
};
export const isIteration = (place: Place): boolean =>
  fullRunFollows(place) && !/ (?:before merge|not skip)/.test(place.sentence.line.slice(0, 0));

const TO_GET_GREEN = defineLineTest(
  () =>
    / (?:green|pass|passing|passes|red|fail|fails|failing|annoying|anyway|block|unblock|ci|pipeline|whatever|blindly|gate|match|quiet|carry on|carry_on|move_on|now|anyway|so that it|until it|job|complain|on this branch|this change) /,
);
const IS_REQUIRED = defineLineTest(
  () =>
    / (?:requirement|required by|by the new|product ask|spec change|new limit|as agree|intend|intended|review line|reviewed|tighten|stricter) /,
);
export const isAboutGreen = (place: Place): boolean =>
  says(place, TO_GET_GREEN, joined(place)) && !says(place, IS_REQUIRED, joined(place));

export const PLATFORM = defineLineTest(() => / (?:windows|win32|linux|macos|darwin|platform|posix|fork on) /);

/** "a skipped test", "with disabled tests": a property of the test, not an act. */
export function isAdjective({ sentence, fit }: Place): boolean {
  const verb = sentence.words[fit.from];
  const previous = sentence.words[fit.from - 1]?.lemma ?? "";
  return (
    verb?.tense === "past" &&
    /^(?:test|suite|spec|assertion|testfile|e2e|integration|unit)$/.test(
      sentence.words[fit.from + 1]?.lemma ?? "",
    ) &&
    (fit.from === 0 ||
      /^(?:a|an|the|each|every|any|with|of|no|all|currently|previously|in|for|on|by|those|these|how|which|many|\d+|several|two|three|report|list|count)$/.test(
        previous,
      ))
  );
}
/** "coverage from 90 to 70", "40 instead of 85" */
export function isLowered({ sentence, doc }: Place): boolean {
  const text = doc.text.slice(sentence.start, sentence.end).toLowerCase();
  const to =
    /(?:coverage|threshold)[^.;\n]*?(\d+)\s*%?\s*(?:percent\s*)?(?:down\s+)?(?:to|->|→)\s*(\d+)/.exec(text);
  if (to) return Number(to[1]) > Number(to[2]) && !/(?:went|dropped|fell|decreas)/.test(text);
  const instead =
    /(?:coverage|threshold)[^.;\n]*?(\d+)\s*%?\s*(?:percent\s*)?(?:instead of|rather than)\s*(\d+)/.exec(
      text,
    );
  return instead !== null && Number(instead[1]) < Number(instead[2]);
}
const REMOVES_CODE = defineLineTest(
  () =>
    / (?:row|feature|flag|module|function|class|branch|workaround|duplicate|skip|comment|debug|print|log|sleep|fixture|repo|temp|folder|SKIPMARK|SWALLOW|NOVERIFY|SKIPFLAG) /,
);
/** What "it" stands for: the nearest thing spoken of before is a test. */
export function isAboutTests(place: Place): boolean {
  if (/ (?:xfail|quarantine|deselect) /.test(insideOf(place))) return true;
  const earlier = `${linesBefore(place).slice(-220)}|${beforeOf(place)}`;
  const lastTest = Math.max(
    ...[" test ", " suite ", " assertion ", " testfile ", " e2e ", " runtests ", " snapshot "].map((word) =>
      earlier.lastIndexOf(word),
    ),
  );
  if (lastTest < 0) return false;
  const since = earlier.slice(Math.max(0, lastTest - 30));
  return since.length < 170 && !says(place, REMOVES_CODE, since);
}
export const isNegatedElsewhere = (place: Place): boolean =>
  / (?:if|when|who|they|why) (?:[^ ]+ ){0,3}$/.test(beforeOf(place));
export const BAD = defineLineTest(
  () =>
    / (?:test|suite|ci|pipeline|check|runtests|e2e|build|spec|checks) (?:[^|;.]{0,45} )?(?:red|fail|failing|broken|break|flaky|pending|unrelated|time out|queue|not finish|still run) | (?:red|failing|fail|broken|flaky|pending) (?:[^ |]+ ){0,2}(?:test|suite|ci|pipeline|check|spec|checks|build) |(?:one|two|three|some|few|\d+) (?:of them )?(?:test )?(?:fail|be red)/,
);
export const REMEDY = defineLineTest(
  () =>
    / (?:implement|fix|fixing|investigate|look|find|repair|wait|until|after|revert|stop|report|debug|reproduce|why|first|cause|before|draft|bisect|retry|solve|rerun|once|when|if|unblock|must|only|hold|check why|turn green) /,
);
/** Going ahead although the tests are known to be red, flaky or unfinished. */
export function isOverRed(place: Place): boolean {
  const near = `${linesBefore(place).split("|").slice(-2).join("|")}|${place.sentence.line}|${linesAfter(place).split("|")[0] ?? ""}`;
  if (!says(place, BAD, near) || isHeldBack(place)) return false;
  const verb = place.sentence.words[place.fit.from];
  if (verb?.tense === "s" || / (?:the|a|this|that|each|every|release|no) $/.test(beforeOf(place)))
    return false;
  if (
    / (?:to|before|can not|not|never|that|which|block|they|he) (?:[^ ]+ )?$/.test(beforeOf(place)) &&
    !/ (?:go to|going to|on to) $/.test(beforeOf(place))
  )
    return false;
  return !says(place, REMEDY, near.replace(/ (?:fix|fixes) (?:in|be|for) /g, " "));
}
export function place160(place: Place): string {
  return `${beforeOf(place).slice(-80)}${insideOf(place)}${afterOf(place).slice(0, 160)}${linesAfter(place).slice(0, 60)}`;
}
const IS_REVIEWED = defineLineTest(
  () =>
    / (?:review|reviewed|line by line|inspect|checked|look at (?:the|each|every)|read (?:the|each|every)|as intended|only the|intended|one by one|after look|verify|verified) /,
);
export function isReviewed(place: Place): boolean {
  return (
    says(place, IS_REVIEWED, joined(place)) &&
    !/ (?:without|not|no) (?:[^ ]+ ){0,3}(?:review|look|inspect|check|read|verify)/.test(joined(place))
  );
}
const SPEAKS_OF = defineLineTest(
  () =>
    / (?:grep|list|search|lint|linter|rule|forbid|forbids|doc|document|explain|find|count|wrapper|who|what|scan|report|recognise|policy|audit|why) (?:(?!i |we )[^ ,;]+ ){0,7}$/,
);
const IS_FORBIDDEN = defineLineTest(
  () =>
    /^ (?:[^ ;.]+ ){0,3}(?:must not|may not|be forbid|be wrong|should not|be not allow|do exactly|mean|must be reject)/,
);
export function isDocumented(place: Place): boolean {
  return says(place, SPEAKS_OF, beforeOf(place)) || says(place, IS_FORBIDDEN, afterOf(place));
}
export function isPlainFix(place: Place): boolean {
  return (
    / (?:wording|flag|option) (?:of |the )?(?:[^ ]+ ){0,2}$/.test(beforeOf(place)) &&
    / (?:wrong|correct|doc|typo) /.test(joined(place))
  );
}
const ALREADY_RAN = defineLineTest(
  () =>
    / (?:same commit|already (?:pass|run|ran|green)|stage before|test stage|have pass|suite (?:ran|run|have run|pass)|all test|after the (?:whole |full )?(?:suite|test)|run before|earlier stage|previous stage) /,
);
export function isAfterTests(place: Place): boolean {
  return (
    says(place, ALREADY_RAN, joined(place)) ||
    (/ runtests [^|]*then /.test(beforeOf(place)) &&
      !/ (?:not|without|never) (?:[^ ]+ ){0,3}(?:run|test) /.test(joined(place)))
  );
}
const LOSES_NOTHING = defineLineTest(
  () =>
    / (?:only (?:format|formats|lint|lints|check the message|spell)|no test be lose|no test be lost|suite (?:ran|run|have run|pass)|by design|already ran|in its own step|in the dockerfile|suite be green|tests? (?:ran|passed|run) (?:[^ ]+ )?(?:just|already|before|one minute))/,
);
export function isBypass(place: Place): boolean {
  if (
    place.sentence.line.includes(" -n ") &&
    !/ (?:commit|push|git|hook|pre-commit) /.test(place.sentence.line)
  )
    return false;
  if (isDocumented(place) || (isDocsOnly(place) && / (?:format|formats|only|lint) /.test(joined(place))))
    return false;
  if (says(place, LOSES_NOTHING, joined(place))) return false;
  return (
    !/ (?:repair|fix) the hook /.test(place.sentence.line) &&
    !/ (?:remove|delete|drop|ban|reject|forbid|without) (?:(?!i |we )[^ ,;]+ ){0,4}$/.test(beforeOf(place))
  );
}
