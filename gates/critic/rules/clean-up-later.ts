import { defineLineTest } from "../language/line-test.ts";
import {
  type Doc,
  beforeOf,
  type Finding,
  insideOf,
  type Place,
  defineFrames,
  runFrames,
  restOf,
  says,
} from "./rule.ts";

const LATER =
  "(later|afterwards|afterward|someday|eventually|tomorrow|sometime|followup|follow_up|down the road|at some point|some other day|another day|some day|another time|to come|in the future|next (pr|commit|sprint|week|month|iteration|release|year|quarter|time)|(in|as) (a|an|another|some) (separate|later|follow_up|second|next|other|followup|pr|commit|ticket|change)|in (another|the next|the following|one of the next|a later) ^2|after (the )?(release|demo|launch|merge|deadline|weekend|holidays)|when there be time|when i have time|when we have time|if there be time|when time (allows|permits)|once the dust settles|until someone ^3|ticket for|the rest of|some time|in due time|one day|when things calm down|separate (pr|ticket|commit|issue|change))";

const MESS =
  "(hack|hacks|hacky|stopgap|workaround|kludge|bodge|band-aid|bandaid|quick-and-dirty|dirty|ugly|messy|mess|spaghetti|hard-code|hard-coded|hardcode|hardcoded|hard-coding|hardcoding|copy-paste|copy-pasted|copy|duplicated|duplication|duplicate|monkeypatch|monkeypatching|temporary|provisional|makeshift|console.log|debug|todo|fixme|dead|commented-out|any|global|shortcut|crude|rough|botch|cruft|debt|swallow|disable|sleep|nice|unclean|quick|untidy|crutch|patchy|duct|tape|inline|prints|print|leftovers|clutter)";

const isOwnWork = (place: Place): boolean => {
  const around = place.sentence.line;
  if (
    / (?:afterEach|teardown|cron|nightly|scheduled|job that|background job|session|sessions|expired|blob|blobs|temp files|temp directory|container|containers|queue|garbage|retention|out of scope|outside this change|outside the change|somebody else) /i.test(
      around,
    ) &&
    !/ (?:hack|for_now|sleep|workaround|temporary workaround) /.test(around)
  )
    return false;
  if (
    / (?:test|suite|assertion|coverage) /.test(insideOf(place)) &&
    / (?:disable|skip|comment|turn) /.test(insideOf(place))
  )
    return false;
  return (
    !/ (?:test|tests) $/.test(insideOf(place)) &&
    !(/ test /.test(insideOf(place)) && !/ (?:hack|mess|dirty|ugly|duplicate) /.test(around))
  );
};

const STARTS_CRUDE = defineLineTest(
  () =>
    /^ (?:it be |this be |quick |temporary |dirty |wip |just |[^ ]+ : )?(?:a )?(?:temporary )?(?:stopgap|workaround|(?:a )?hack [:,;]|a hack|bodge|quick and dirty|kludge|band-aid|dirty but|ugly but)/,
);
const FRAMES = defineFrames(
  "R3",
  {
    name: "clean-up put off",
    pattern: `<clean> *6 ${LATER}`,
    when: (p) =>
      isOwnWork(p) &&
      !/^ (?:fix|remove|do|replace|drop|write|improve|merge|split|delete|sort|address|extract|pay|undo) (?:[^ ]+ )*, /.test(
        insideOf(p),
      ) &&
      !/ (?:delete|remove|clean_up|merge) (?:[^ ]+ )*later than /.test(restOf(p)) &&
      !/ (?:test|implement) /.test(insideOf(p)) &&
      !/ this (?:commit|pr) /.test(insideOf(p)),
  },
  {
    name: "clean-up put off",
    pattern: `${LATER} *5 <clean>`,
    when: (p) =>
      isOwnWork(p) &&
      !/ test /.test(insideOf(p)) &&
      / (?:we|i|someone|proper|be|can|will|to|get|then|,) /.test(insideOf(p)) &&
      new RegExp(
        ` ${MESS} | (?:clean|clean_up|tidy|tidy_up|refactor|dedupe|consolidate|unify|sort|sort_out|polish|revisit|rework|straighten|pay) `,
      ).test(p.sentence.line),
  },
  {
    name: "left in a poor state",
    pattern: `${MESS} *8 (for_now|at_first|today|for the demo|as is|temporary|right now|meanwhile|for a start|until|so the demo|temporarily|this time|good enough|first)`,
    when: isOwnWork,
  },
  {
    name: "left in a poor state",
    pattern: `(for_now|at_first|for today|temporarily|as a temporary measure|first|meanwhile) *5 ${MESS}`,
    when: (p) => isOwnWork(p) && !insideOf(p).startsWith(" first "),
  },
  {
    name: "left in a poor state",
    pattern: `${MESS} *9 ${LATER}`,
    when: (p) => isOwnWork(p) && !/ (?:grep|remove|delete|replace) /.test(beforeOf(p).slice(-14)),
  },
  {
    name: "left in a poor state",
    pattern: `<leave> *4 ${MESS} *6`,
    when: (p) =>
      isOwnWork(p) &&
      new RegExp(
        ` (?:for_now|later|someone|moment|follow_up|someday|time|next|ticket|in there|in place|in a messy state) `,
      ).test(p.sentence.line),
  },
  {
    name: "left in a poor state",
    pattern: `${MESS} ~6 (can|may|will|could) (stay|remain|wait|live)`,
    when: isOwnWork,
  },
  {
    name: "a stopgap",
    pattern:
      "(stopgap|workaround|hack|bodge|kludge|band-aid|quick and dirty|it be a hack|it be hacky|dirty but|ugly but)",
    when: (p) => isOwnWork(p) && says(p, STARTS_CRUDE, p.sentence.line),
  },
  {
    name: "for the moment",
    pattern:
      "(keep|leave|have|put|use|do|disable|swallow|hard-code|hard-coding|inline|copy|duplicate|any|using) *7 for_now",
    when: isOwnWork,
  },
  {
    name: "fixed another day",
    pattern:
      "(proper|real|right|correct|clean|decent) (fix|solution|way|version|implementation|one) *5 (later|next|to come|follow|someday|another day|tomorrow|after|follow_up)",
    when: isOwnWork,
  },
  {
    name: "good enough",
    pattern: "(someone|somebody|we|i) can (make|clean_up|tidy|sort|fix|refactor) ^3 later",
  },
);

export const findCleanUpLater = (doc: Doc): Finding[] => runFrames(doc, FRAMES);
