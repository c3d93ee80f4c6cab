import { fitsAnywhere, fitsAt, fitsJustBefore } from "../../language/frame.ts";
import { defineLineTest } from "../../language/line-test.ts";
import { definePattern } from "../../language/patterns.ts";
import { afterOf, beforeOf, insideOf, type Place, says } from "../rule.ts";

export const TW =
  "(write|add|make|do|create|author|backfill|supply|provide|cover|have|get|put|come_up_with|bother|work|start|begin|think|see|produce|develop|draft|prepare|include|retrofit|tackle|worry|care|fill_in|finish)";
export const T = "(test|testing|testfile|coverage)";
export const BEYOND =
  "((in|into|for|to|with|as|till|until|on) (a|an|the|our|some|my|of|one)* (another|separate|later|next|different|follow_up|second|future|subsequent|own|new|following|upcoming|coming|dedicated) ~1 (pr|release|sprint|iteration|week|month|version|quarter|milestone|ticket|issue|commit|branch|story|cycle|patch|change|mr|one)|in (a|the)? follow_up|(next|the following|the coming|the week|next to) (sprint|week|month|iteration|release|quarter|pr|after|milestone|cycle)|(after|post) (the|we|it|our)? (release|launch|merge|deploy|demo|deadline|go_live|holidays|ship)|in \\d+\\.\\d+|for \\d+\\.\\d+|when (i|we|there) (have|be|find|get) ~2 time|someday|tomorrow|follow_up|backlog|on? (monday|tuesday|wednesday|thursday|friday|saturday|sunday|the weekend)|(some other|another) (day|time))";
export const COVER = `((${TW.slice(1, -1)}) ^5 (test|testing|testfile|coverage)|(cover|pin|lock|back|secure|prove|guard|protect|test|follow|nail|harden|support|put) ~4 (with|by|in|under) ^4 (test|testing|testfile|coverage)|put ^3 test ~1 around)`;
export const AFTERWARDS =
  "(later|afterwards|afterward|after|at_end|last|lastly|second|subsequently|thereafter|eventually|next|follow_up|after that|later on|once done|when done|tomorrow|in a second step|some other time|another day|behind)";

const RUNS = definePattern(
  "(run|rerun|re-run|execute|pass|green|runtests|existing|watch|check|characterization|failing|red|suite passes)",
);
const RUN_HEAD = definePattern("(result|results|run|report|data|account|job|output|server|environment)");
const TO_RUN = definePattern("(run|rerun|execute|re-run|repeat|launch|start)");
const RUN_WORDS = 3;
const endsRun = (lemma: string): boolean => /[,;.]/.test(lemma);
export const notRun = ({ sentence, fit }: Place): boolean =>
  !fitsAt(sentence, RUN_HEAD, fit.to + 1) &&
  !fitsAnywhere(sentence, RUNS, fit) &&
  !fitsJustBefore(sentence, TO_RUN, { before: fit.from, most: RUN_WORDS }, endsRun);

const COMES_LATER = defineLineTest(
  () => / (?:subsequently|afterwards|afterward|later|after that|then|next|second) $/,
);
const CODE_COMES = definePattern(
  ",? (i|we|you)? (will|can)? (fix|implement|code|change|restructure|refactor|write the code|build|rework|make|start (cod|code|coding)|open|touch)",
);
/** "…, then fix it": what comes later is the code. */
export const codeFollows = (place: Place): boolean =>
  says(place, COMES_LATER, insideOf(place)) && fitsAt(place.sentence, CODE_COMES, place.fit.to + 1);
export const notAboutTests = (place: Place): boolean =>
  notRun(place) && !/ (?:test|red) .* (?:test|red) /.test(insideOf(place));

export const CODE_DONE = defineLineTest(
  () =>
    / (?:finish|finished|do|done|ready|complete|completed|implement|implemented|in place|write|wrote|built|build|fix|fixed|code|works|work|merged|implementation|patch|patched|the change) /,
);
export function isToCome(place: Place): boolean {
  const earlier = `${place.doc.sentences
    .slice(0, place.index)
    .map(({ line }) => line)
    .join("|")}${beforeOf(place)}`;
  return (
    says(place, CODE_DONE, `${earlier}${insideOf(place)}${afterOf(place)}`) &&
    !/ (?:test|red) (?:[^|]*)(?:first|red|fail) /.test(earlier)
  );
}

/** "Once it compiles I'll backfill the specs", but not "after I have written the spec, add …". */
export function isAfterCode(place: Place): boolean {
  const inside = insideOf(place);
  const sub = inside.replace(
    / (?:cover|pin|lock|back|secure|prove|guard|protect|follow|nail|harden|put|write|add|make|do|create|author|backfill|supply|provide|cover|have|get|put|come_up_with|bother|work|start|begin|think|see|produce|develop|draft|prepare|include|retrofit|tackle|worry|care|fill_in|finish) (?:[^ ]+ ){0,9}[^ ]+ $/,
    " ",
  );
  if (!notRun(place)) return false;
  if (/ (?:test|red|suite|ci|spec) /.test(sub)) return false;
  if (/ (?:not|no|never) /.test(sub.slice(-24))) return false;
  if (/^ (?:as (?:a |always|usual)|after all , )/.test(sub)) return false;
  if (/ (?:before|so that|first|fail|ticket|when (?:a |the )?(?:user|none|empty|list))/.test(sub))
    return false;
  const done =
    / (?:finish|finished|done|do|work|works|ready|compile|compiles|stable|in|good|happy|settle|settled|complete|exist|exists|implement|implementation|implementing|code|coding|build|built|in place|run|runs|fix|fixed|fixing|review|reviewed|merge|merged|deploy|shape|refactor|feature|write|land|lands|landed|clear|that|this|stand|stands|there|validator|function|prototype|api|behave|change|changed|changing) /;
  return done.test(sub) && !/ (?:check ?out|clone|read|reproduce|legacy) /.test(sub);
}
