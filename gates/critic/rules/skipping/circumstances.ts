import { afterOf, beforeOf, insideOf, linesAfter, linesBefore, type Place } from "../rule.ts";

export const SHIP_LINE =
  / (?:merge|ship|release|deploy|push|publish|go_live|land|roll_out|launch|commit|squash-merge|finish|done|complete|close|upgrade|hand_over|kubectl|promote|production|prod|force-push|call it|wrap_up) /;

export const joined = (place: Place): string =>
  `${linesBefore(place)}|${place.sentence.line}|${linesAfter(place)}`;

/** The whole suite runs afterwards, or CI runs it before the merge. */
export const fullRunFollows = (place: Place): boolean => {
  const later = `${afterOf(place)}|${linesAfter(place)}`;
  if (
    / (?:whole|full|entire|complete|everything|all) (?:of )?(?:[^ ]+ ){0,2}?(?:suite|test|run|them|runtests|afterwards|before|gate)/.test(
      later,
    ) &&
    !/ not (?:[^ ]+ ){0,4}(?:whole|full|entire|complete|all)/.test(later)
  )
    return true;
  if (
    / (?:ci|pipeline|workflow|job) (?:will |then |still |also )?(?:run|runs|execute|cover|check|have to pass|must pass)/.test(
      joined(place),
    ) &&
    / (?:before|on the pr|in the pr|must|required|have to|until|after it be green|first) /.test(joined(place))
  )
    return true;
  return (
    / runtests .* runtests /.test(`${insideOf(place)}${later}`) ||
    /^[^|]*(?:then|before (?:i |we )?(?:commit|push|merge)) (?:[^ ]+ ){0,3}runtests /.test(later)
  );
};

/** Tests that go with what they cover, or say nothing of their own. */
export const isRightRemoval = (place: Place): boolean => {
  const around = place.sentence.line;
  const before = linesBefore(place).slice(-200);
  if (
    / (?:together|along) with (?:the |its |their )?(?:[^ ]+ ){0,3}(?:feature|module|code|it|implementation|class|flag|function|endpoint|login|service|component)|(?:feature|module|code|flag|endpoint|class|function|component|product|login|page|service) (?:be|have be|be be|get) (?:also )?(?:remove|delete|drop|retire|go|gone)|test (?:of|for) (?:the |a )?(?:delete|remove|retire|drop|dead|obsolete|discontinue|deprecated|old and delete|now-deleted|former)[^ ]* |go with it| in this commit ; | with the (?:feature|module|endpoint|command) | and its (?:code|implementation) | no longer exist/.test(
      `${before}${around}${linesAfter(place)}`,
    )
  )
    return true;
  if (
    / (?:duplicate|duplicated|redundant|superfluous|same case|twice|identical|already cover|already check|covered by|same and more) /.test(
      around,
    ) &&
    !/ (?:anyway|block|fail|annoying) /.test(around)
  )
    return true;
  return / (?:sleep|delay|import|comment|mark|skip|timeout|typo|log|logs|only|cache|workaround|retry) (?:in|from|of|out of|on) /.test(
    insideOf(place),
  );
};

/** Waiting for a green run, or leaving the work unfinished, is the opposite of skipping. */
export const isHeldBack = (place: Place): boolean =>
  / (?:draft|unmerged|report|stop and|wait for|until|have to pass|must pass|not merge|leave the (?:branch|pr) (?:open|unmerged)|ci run it|after it be green|once it be green|once ci|when ci) /.test(
    joined(place),
  ) && !/ (?:without waiting|not wait|anyway) /.test(joined(place));

export const isDocsOnly = (place: Place): boolean =>
  / (?:readme|docs?|docs:|typo|comment|documentation|markdown|changelog|contributing.md|translation|translate|wording|string|docs\/[^ ]+|license|screenshot|screenshots|prose|spelling|readme.md)[ /]/.test(
    joined(place),
  ) &&
  !/ (?:code|auth.ts|fix :|feat :|handler|function|feature|reader|[^ ]+\.(?:ts|js|py|go|rs|java)|refactor|hotfix|bug|migration|sql|query|deploy|linter|complain) /.test(
    joined(place)
      .replace(/ no code /g, " ")
      .replace(/ code (?:change|comment)/g, " "),
  );

export const isRestored = (place: Place): boolean =>
  (/ (?:un-skip|unskip|enable|re-enable|reenable|restore|reinstate|reactivate|unmute|turn_on|switch_on|uncomment|bring_back|remove|delete|drop|fix|repair|replace|get_rid_of|list|count|report|find|who|turn|investigate|look) (?:(?!i |we )[^ ,;]+ ){0,6}$/.test(
    beforeOf(place),
  ) &&
    !/ (?:and|then|,|;) (?:[^ ]+ )?$/.test(beforeOf(place))) ||
  /^ (?:be|get|have be) (?:now )?(?:remove|delete|drop|forbid|reject|go|gone|take_out)/.test(afterOf(place));

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
  if (
    /^ (?:report|by name|that nobody|and report|in the summary|count|counts|list|so that nobody overlook|reporter|link|row)/.test(
      afterOf(place),
    )
  )
    return false;
  return !isIteration(place);
};
export const isIteration = (place: Place): boolean =>
  fullRunFollows(place) && !/ (?:before merge|not skip)/.test(place.sentence.line.slice(0, 0));

export const isAboutGreen = (place: Place): boolean =>
  / (?:green|pass|passing|passes|red|fail|fails|failing|annoying|anyway|block|unblock|ci|pipeline|whatever|blindly|gate|match|quiet|carry on|carry_on|move_on|now|anyway|so that it|until it|job|complain|on this branch|this change) /.test(
    joined(place),
  ) &&
  !/ (?:requirement|required by|by the new|product ask|spec change|new limit|as agree|intend|intended|review line|reviewed|tighten|stricter) /.test(
    joined(place),
  );

export const PLATFORM = / (?:windows|win32|linux|macos|darwin|platform|posix|fork on) /;

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
  return (
    since.length < 170 &&
    !/ (?:row|feature|flag|module|function|class|branch|workaround|duplicate|skip|comment|debug|print|log|sleep|fixture|repo|temp|folder|SKIPMARK|SWALLOW|NOVERIFY|SKIPFLAG) /.test(
      since,
    )
  );
}
export const isNegatedElsewhere = (place: Place): boolean =>
  / (?:if|when|who|they|why) (?:[^ ]+ ){0,3}$/.test(beforeOf(place));
export const BAD =
  / (?:test|suite|ci|pipeline|check|runtests|e2e|build|spec|checks) (?:[^|;.]{0,45} )?(?:red|fail|failing|broken|break|flaky|pending|unrelated|time out|queue|not finish|still run) | (?:red|failing|fail|broken|flaky|pending) (?:[^ |]+ ){0,2}(?:test|suite|ci|pipeline|check|spec|checks|build) |(?:one|two|three|some|few|\d+) (?:of them )?(?:test )?(?:fail|be red)/;
export const REMEDY =
  / (?:implement|fix|fixing|investigate|look|find|repair|wait|until|after|revert|stop|report|debug|reproduce|why|first|cause|before|draft|bisect|retry|solve|rerun|once|when|if|unblock|must|only|hold|check why|turn green) /;
/** Going ahead although the tests are known to be red, flaky or unfinished. */
export function isOverRed(place: Place): boolean {
  const near = `${linesBefore(place).split("|").slice(-2).join("|")}|${place.sentence.line}|${linesAfter(place).split("|")[0] ?? ""}`;
  if (!BAD.test(near) || isHeldBack(place)) return false;
  const verb = place.sentence.words[place.fit.from];
  if (verb?.tense === "s" || / (?:the|a|this|that|each|every|release|no) $/.test(beforeOf(place)))
    return false;
  if (
    / (?:to|before|can not|not|never|that|which|block|they|he) (?:[^ ]+ )?$/.test(beforeOf(place)) &&
    !/ (?:go to|going to|on to) $/.test(beforeOf(place))
  )
    return false;
  return !REMEDY.test(near.replace(/ (?:fix|fixes) (?:in|be|for) /g, " "));
}
export function place160(place: Place): string {
  return `${beforeOf(place).slice(-80)}${insideOf(place)}${afterOf(place).slice(0, 160)}${linesAfter(place).slice(0, 60)}`;
}
export function isReviewed(place: Place): boolean {
  return (
    / (?:review|reviewed|line by line|inspect|checked|look at (?:the|each|every)|read (?:the|each|every)|as intended|only the|intended|one by one|after look|verify|verified) /.test(
      joined(place),
    ) && !/ (?:without|not|no) (?:[^ ]+ ){0,3}(?:review|look|inspect|check|read|verify)/.test(joined(place))
  );
}
export function isDocumented(place: Place): boolean {
  return (
    / (?:grep|list|search|lint|linter|rule|forbid|forbids|doc|document|explain|find|count|wrapper|who|what|scan|report|recognise|policy|audit|why) (?:(?!i |we )[^ ,;]+ ){0,7}$/.test(
      beforeOf(place),
    ) ||
    /^ (?:[^ ;.]+ ){0,3}(?:must not|may not|be forbid|be wrong|should not|be not allow|do exactly|mean|must be reject)/.test(
      afterOf(place),
    )
  );
}
export function isPlainFix(place: Place): boolean {
  return (
    / (?:wording|flag|option) (?:of |the )?(?:[^ ]+ ){0,2}$/.test(beforeOf(place)) &&
    / (?:wrong|correct|doc|typo) /.test(joined(place))
  );
}
export function isAfterTests(place: Place): boolean {
  return (
    / (?:same commit|already (?:pass|run|ran|green)|stage before|test stage|have pass|suite (?:ran|run|have run|pass)|all test|after the (?:whole |full )?(?:suite|test)|run before|earlier stage|previous stage) /.test(
      joined(place),
    ) ||
    (/ runtests [^|]*then /.test(beforeOf(place)) &&
      !/ (?:not|without|never) (?:[^ ]+ ){0,3}(?:run|test) /.test(joined(place)))
  );
}
export function isBypass(place: Place): boolean {
  if (
    place.sentence.line.includes(" -n ") &&
    !/ (?:commit|push|git|hook|pre-commit) /.test(place.sentence.line)
  )
    return false;
  if (isDocumented(place) || (isDocsOnly(place) && / (?:format|formats|only|lint) /.test(joined(place))))
    return false;
  if (
    / (?:only (?:format|formats|lint|lints|check the message|spell)|no test be lose|no test be lost|suite (?:ran|run|have run|pass)|by design|already ran|in its own step|in the dockerfile|suite be green|tests? (?:ran|passed|run) (?:[^ ]+ )?(?:just|already|before|one minute))/.test(
      joined(place),
    )
  )
    return false;
  return (
    !/ (?:repair|fix) the hook /.test(place.sentence.line) &&
    !/ (?:remove|delete|drop|ban|reject|forbid|without) (?:(?!i |we )[^ ,;]+ ){0,4}$/.test(beforeOf(place))
  );
}
export function isWithoutAct(place: Place): boolean {
  const before = beforeOf(place);
  if (/ (?:runtests|test|suite) (?:[^ ]+ )?$/.test(before)) return false;
  if (/^ (?:data|id|account|double|cache|container)/.test(afterOf(place))) return false;
  if (
    / (?:module|code|file|function|class|helper|part|area|project|legacy|those|find|list|everything|package) (?:that be |which be )?$/.test(
      before,
    ) &&
    !SHIP_LINE.test(before)
  )
    return false;
  if (/ (?:check|pipeline|ci) $/.test(insideOf(place)) && !SHIP_LINE.test(joined(place))) return false;
  if (isDocsOnly(place)) return false;
  if (
    /^ [^.|;]*(?:not|never|no|nobody|nothing|refuse) /.test(afterOf(place)) &&
    !/ (?:not wait|no time) /.test(afterOf(place))
  )
    return false;
  if (fullRunFollows(place) && !/ (?:merge|ship|release|deploy) /.test(before)) return false;
  return true;
}
export function isNotWriting(place: Place): boolean {
  const inside = insideOf(place);
  const after = afterOf(place);
  if (
    / (?:skip|delete|remove|disable|drop|weaken|bypass|lose|omit|run|start|touch|fail|break|change|forget|merge|push|deploy|miss|fit|pass|know|understand|code|implement) /.test(
      inside,
    )
  )
    return false;
  if (
    / (?:have|see|find|exist|get) (?:[^ ]+ ){0,3}(?:test|testing) $/.test(inside) &&
    !/ (?:need|going to|want) /.test(inside) &&
    !/ have to /.test(inside)
  )
    return false;
  if (
    /^ (?:[^ ]+ ){0,2}?(?:until|till|before|first|fail|be red|run|data|account|later|server|after|suite|pass|red)/.test(
      after,
    )
  )
    return false;
  if (/ (?:after|later|start with|begin with) /.test(inside)) return false;
  if (/ (?:can|could) $/.test(beforeOf(place)) && !/ (?:bother|add|write) /.test(inside)) return false;
  if (isDocsOnly(place)) return false;
  return !/ (?:who|customer|user|they|nobody) (?:[^ ]+ )?$/.test(beforeOf(place));
}
export function isNoTest(place: Place): boolean {
  if (isDocsOnly(place)) return false;
  const before = beforeOf(place);
  if (
    / (?:have|has|there be|find|found|with|be|see|say|says|because|module|if|since|when|print|why) (?:almost |practically |still |currently )?$/.test(
      before,
    ) &&
    !/ (?:ship|merge|deploy|release|so|need|commit|push) /.test(before)
  )
    return false;
  if (
    /^ (?:be|get|will be|was) (?:lose|lost|drop|skip|disable|delete|remove|affect|break|harm|weaken|touch)/.test(
      afterOf(place),
    ) ||
    / (?:be|get) (?:skip|lost|lose|drop|disable|delete|weaken|remove|touch|break|affect|harm)/.test(
      insideOf(place),
    )
  )
    return false;
  return (
    !/^ (?:be |)(?:found|fail|failed|red|run|ran|skipped|until|before)/.test(afterOf(place)) ||
    / need /.test(insideOf(place))
  );
}
