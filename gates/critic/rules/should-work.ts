import { defineLineTest } from "../language/line-test.ts";
import {
  type Doc,
  afterOf,
  beforeOf,
  type Finding,
  insideOf,
  type Place,
  linesAfter,
  defineFrames,
  runFrames,
  says,
} from "./rule.ts";

const CLAIM =
  "(<work>|<fix>|be|do the trick|do it|behave|hold|build|line|go|take|load|render|ok|fine|good|green|safe|correct|right|enough)";
const SURE =
  "(probably|presumably|hopefully|likely|surely|certainly|undoubtedly|definitely|arguably|supposedly|theoretically|apparently|obviously|clearly|doubtless)";

const ACCEPTANCE = defineLineTest(
  () => /^ (?:acceptance|requirement|expected|given|spec|criteria|criterion|goal|scenario|user story)/,
);
const PRODUCT = defineLineTest(
  () =>
    / (?:button|form|page|user|users|search|export|import|endpoint|api|command|flag|dialog|field|list|menu|keyboard|import|importer|app|site|link|spec say|must|feature) $/,
);
const THIS_CHANGE = defineLineTest(() => / (?:now|again|fine|this|change|fix|patch|after|tell) /);
const APPOINTMENT = defineLineTest(
  () =>
    / (?:thursday|monday|tuesday|wednesday|friday|o'clock|\d+:\d+|for me|for you|next week|on the|together|as well as) /,
);
/** Requirements and acceptance criteria are about the product, appointments about people. */
const isRequirement = (place: Place): boolean => {
  const before = beforeOf(place);
  const after = afterOf(place);
  if (says(place, ACCEPTANCE, place.sentence.line)) return true;
  if (says(place, PRODUCT, before) && !says(place, THIS_CHANGE, `${before}${after}`)) return true;
  return says(place, APPOINTMENT, after.slice(0, 60)) && !/ (?:now|fix) /.test(before);
};

const WITHHOLDS = defineLineTest(
  () =>
    / (?:not claim|not (?:say|call|assume|trust|believe|know|rely)|before (?:say|claim|the run)|verify|confirm|but (?:i|let|first)[^|]{0,40}(?:run|check|test)) /,
);
const RUNS = defineLineTest(
  () => / (?:run|running|runtests|execute|execution|check|test|verify|reproduction) /,
);
/** The claim is withheld until a run that happens at once. */
const isWithheld = (place: Place): boolean =>
  says(place, WITHHOLDS, `${beforeOf(place)}${afterOf(place)}`) &&
  says(place, RUNS, `${afterOf(place)}${linesAfter(place)}`);

const claims = (place: Place): boolean => !isRequirement(place) && !isWithheld(place);

const FRAMES = defineFrames(
  "R2",
  {
    name: "should work",
    pattern: `(should|ought to|ought) (now|all|also|then|again|just|really|still|probably)? (be)? ${CLAIM}`,
    when: (p) =>
      claims(p) &&
      !/ (?:we|you|i|they|he|she) $/.test(beforeOf(p)) &&
      !/ should be (?:$|(?!ok|fine|good|green|safe|correct|right|enough|done|fix|solve|resolve|work|it|all|able|sort|okay|gone|harmless|in order|back))/.test(
        `${insideOf(p).trimEnd()} ${afterOf(p).trimStart()}`,
      ) &&
      !/ should work (?:on|with|together|through|for \d)/.test(
        `${insideOf(p).trimEnd()} ${afterOf(p).trimStart()}`,
      ),
  },
  {
    name: "the tests will pass",
    pattern:
      "(test|suite|ci|build|pipeline|everything|it|that|this|all) (should|will|ought to|must|have to|be going to) (now|all|surely)? (pass|be green|go green|be fine|be ok|run through|hold|succeed|work|behave|be green)",
    when: (p) =>
      claims(p) &&
      !/ (?:must|should) /.test(/^ (?:the )?(?:spec|acceptance)/.test(p.sentence.line) ? insideOf(p) : "") &&
      !/ (?:when|if|until|once|after|before|unless|because the new) (?:[^ ]+ )*$/.test(
        beforeOf(p).slice(-40),
      ),
  },
  {
    name: "confident",
    pattern:
      "(pretty|fairly|quite|very|rather|absolutely|totally|almost|reasonably|i be|am|be|feel|99|100) (pretty|fairly|quite|so|very)? (sure|confident|certain|convinced|positive|optimistic)",
    when: (p) =>
      claims(p) &&
      !/ not (?:[^ ]+ )?$/.test(beforeOf(p)) &&
      !/^ (?:whether|if|what|how|which|why) /.test(afterOf(p)),
  },
  {
    name: "an unchecked belief",
    pattern:
      "i (would|do|really)? (think|believe|guess|assume|expect|suppose|bet|reckon|imagine|figure|trust|say|hope) (that)? *5 (work|fix|solve|cover|handle|behave|fine|ok|harmless|trick|correct|gone|safe|right|enough|pass|resolve)",
    when: (p) =>
      claims(p) && !/ not /.test(insideOf(p)) && !/ (?:fix|right) (?:it )?properly/.test(insideOf(p)),
  },
  {
    name: "probably",
    pattern: `(it|that|this|change|fix|patch|which|tweak|one|we|everything|problem|bug|issue|flicker|migration|export) (be|will|would|should|have)? (be)? (now)? ${SURE} *3 ${CLAIM}`,
    when: claims,
  },
  {
    name: "probably",
    pattern: `${SURE} (the|this|that|it|we|my|sort|be|a|will|now)? *3 (<fix>|work|behave|that be it|trick|pass|fine|it|gone|again)`,
    when: (p) => claims(p) && !/ not /.test(insideOf(p)),
  },
  {
    name: "will do",
    pattern:
      "(that|this|it|which|change|fix|patch|upgrade|version|everything) (will|should|would|must|ought to|be going to) (surely|now|probably|also|just|then)? (do it|do the trick|fix|solve|take care|resolve|cure|be fine|be ok|be enough|suffice|help|work|sort)",
    when: claims,
  },
  {
    name: "bound to work",
    pattern: "(bound|certain|sure|guaranteed|supposed|meant|likely) to (be|<work>|<fix>)",
    when: (p) => claims(p) && !/ (?:user|users|button|supposed) /.test(beforeOf(p).slice(-12)),
  },
  {
    name: "in theory",
    pattern:
      "(in theory|theoretically|on paper|fingers crossed|knock on wood|trust me|no doubt|without a doubt|no way this|there be no way|touch wood|cross my fingers|can not see why|do not see why|no reason why|what could go wrong|looks right|look right to me|look good to me)",
    when: (p) =>
      claims(p) && !/ (?:paper).*(?:sketch|draw)/.test(p.sentence.line) && !/ sketch /.test(beforeOf(p)),
    despite: ["negated", "rejected"],
  },
  {
    name: "it works, unchecked",
    pattern: "(i|we) (would|do|be|could) ^1 (say|claim|bet|swear) ^3 (work|fix|do|fine)",
    when: claims,
  },
  {
    name: "problem declared gone",
    pattern: "(that|this|it) be (surely|probably|hopefully|presumably|definitely|most likely) *2",
    when: claims,
  },
);

export const findShouldWork = (doc: Doc): Finding[] => runFrames(doc, FRAMES);
