import { joined, isHeldBack, isDocsOnly, isPlainSkip, isNegatedElsewhere } from "./circumstances.ts";
import { isWithoutAct, isNotWriting, isNoTest } from "./unwritten.ts";
import { afterOf, beforeOf, insideOf, linesBefore, restOf, type Frame } from "../rule.ts";

const SHIP = "(<ship>|merging|go)";

/** No test written for a change, on purpose. */
export const ABSENCE: readonly Frame[] = [
  {
    name: "something else in a test's place",
    pattern: "instead of (a|any|an|writing|another)* ^1 test ~1 (there|i|we|put|a|the|just)",
    when: (p) => !/ (?:skip|flaky|delete) /.test(insideOf(p)),
    despite: ["rejected"],
  },
  {
    name: "tests in the way",
    pattern: "(test|testing|suite) ~3 (slow|hold) (us|me|things|it|everybody|you) (down|up|back)",
    when: (p) => / (?:ship|merge|release|deploy|push|no|skip|without) /.test(joined(p)),
  },
  {
    name: "nobody ran the tests",
    pattern: "(nobody|no one|none of us|noone) ~2 (run|execute|write|look) ~1 ^3 (test|suite)",
    when: (p) =>
      / (?:close|merge|ship|release|deploy|push|finish|done|commit) /.test(joined(p)) &&
      !/ (?:old|used to|last|previous) /.test(joined(p)),
    despite: ["negated", "somebody else's or earlier"],
  },
  {
    name: "tests: not done",
    pattern:
      "(test|testing|coverage) : ~1 not (do|write|run|need|include|add|applicable|necessary|require|write)",
    when: (p) => !isDocsOnly(p),
    despite: ["negated"],
  },
  {
    name: "never mind the tests",
    pattern:
      "(forget|never mind|not worry|not care|screw|damn|to hell with|who need|stop worrying) ~1 (about|for|with)? ^3 (test|testing|coverage|suite)",
    despite: ["negated", "a question about facts"],
    when: (p) =>
      !/ (?:forget|never forget) (?:to|the test (?:in|for))/.test(insideOf(p)) &&
      !/ (?:not|never|do not) (?:ever )?$/.test(beforeOf(p)),
  },
  {
    name: "tests called optional",
    pattern:
      "(test|testing|coverage) ~2 (be|seem|feel) ~1 (optional|unnecessary|superfluous|dispensable|a luxury|not that important|secondary|a nice-to-have|nice to have)",
    when: (p) => !isDocsOnly(p) && !/ (?:no|never) /.test(beforeOf(p).slice(-10)),
  },
  {
    name: "left untested",
    pattern: "(leave|stay|remain|go|be|keep) ~3 (untested|uncovered)",
    when: (p) =>
      !isDocsOnly(p) &&
      / (?:i|we|let|leave|merge|ship|push|fine|ok|accept|enough|release|commit|this|for_now) /.test(
        p.sentence.line,
      ) &&
      !/ (?:so far|until now|currently|today|was|that be) /.test(p.sentence.line),
  },
  {
    name: "not tested, and on with it",
    pattern: "not ~2 test (it|this|that|them|the change|anything|any of it)",
    despite: ["negated"],
    when: (p) =>
      / (?:merge|ship|push|deploy|release|commit|publish|go_live|done|finish) /.test(joined(p)) &&
      !/ (?:so|until|before|first|can not|draft|unmerged) /.test(p.sentence.line),
  },
  {
    name: "hoping CI is green",
    pattern:
      "(assume|hope|presume|trust|bet|guess|expect) ~3 (ci|pipeline|test|suite|build|check) ~2 (be|will|pass|to be|go|stay|hold)",
    when: (p) =>
      / (?:merge|ship|push|deploy|release|publish) /.test(joined(p)) &&
      / (?:without|not|instead of|no) (?:[^ ]+ ){0,4}(?:wait|run|check|look) /.test(joined(p)),
  },
  {
    name: "fewer tests",
    pattern:
      "(run|execute|limit|restrict|cut|trim|reduce|shrink|narrow|thin) ^3 (test|suite) ~3 (fewer|less|to the smoke|down to|to a smoke|to the fast|to the unit|to a handful)",
    when: (p) =>
      / (?:merge|ship|push|deploy|release|green|pass|ci|pipeline) /.test(joined(p)) &&
      !/ (?:iterate|iterating|while|full|whole|entire) /.test(joined(p)),
  },
  {
    name: "without tests",
    pattern: `without (any|first|even|actually)? (run|running|write|writing|add|adding|have|wait|waiting|execute|bother|look|see|re-run|rerun|a|an|the|its|our|for|single|to)* ^4 (test|suite|testing|ci|e2e|runtests|check|pipeline|specs)`,
    when: (p) => isWithoutAct(p),
  },
  {
    name: "without them",
    pattern: `${SHIP} ~5 without (it|them|that|those|this|these|any|waiting|looking|one)`,
    when: (p) =>
      / (?:test|suite|ci|spec|runtests|e2e) /.test(`${linesBefore(p)}${beforeOf(p)}`) && !isHeldBack(p),
  },
  {
    name: "not writing tests",
    pattern: `(not|never) (going to|go to|want to|plan to|intend to|rather|bother|be|really|even|actually|to|need|have|worth|deserve|writing|write|add|adding|warrant|require|cover|get|include|justify|about to|gonna|any|do|see|see the need|see a need|see any need|see the point|see why|feel the need|think|we need|it need) (going to|go to|want to|plan to|intend to|rather|bother|be|really|even|actually|to|need|have|worth|deserve|writing|write|add|adding|warrant|require|cover|get|include|justify|about to|gonna|any|do|see|see the need|see a need|see any need|see the point|see why|feel the need|think|we need|it need)* (to|about|with|the|a|any|some|for|in|of|an|another|new|separate|time|write|add|have|no)* ^3 (test|testing|coverage)`,
    when: (p) => isNotWriting(p),
    despite: ["negated"],
  },
  {
    name: "no test needed",
    pattern: `no (need|reason|point|time|use|sense|benefit|value|room|budget|point in|appetite) ~2 (for|in|to|of)? ~3 (test|testing)`,
    when: (p) => !isDocsOnly(p) && !/ (?:skip|disable|delete|drop|weaken) /.test(insideOf(p)),
    despite: ["negated"],
  },
  {
    name: "no tests",
    pattern: `no (new|more|unit|extra|automated|further|additional|separate|regression|dedicated|real|further)* (test|testing) ~2 (need|require|necessary|for|here|this|today|add|added|write|written|change|yet|at all|then|be need|be necessary|.|;|,|today)`,
    when: (p) => isNoTest(p),
    despite: ["negated", "considered and dropped"],
  },
  {
    name: "no tests",
    pattern: "so no (unit|automated|new)? test",
    when: (p) => !isDocsOnly(p),
    despite: ["negated"],
  },
  {
    name: "nothing here needs a test",
    pattern: `(nothing|none|hardly|not|never|neither) ~3 (need|warrant|deserve|require|justify|merit|worth|call_for|call) (for|of)? ^4 (test|testing)`,
    when: (p) => !isDocsOnly(p) && isNotWriting(p),
    despite: ["negated"],
  },
  {
    name: "too small to test",
    pattern: `(too|so) (small|trivial|simple|tiny|minor|little|obvious|boring|easy|short|straightforward|late|slow|expensive|costly|hard|annoying|tight) *6 (test|testing|testcase|bother)`,
    when: (p) =>
      !/ (?:too|so) (?:slow|hard|late|expensive) (?:[^ ]+ )*(?:test|suite) /.test(insideOf(p)) ||
      / to (?:test|write|run|wait) /.test(insideOf(p)),
  },
  {
    name: "a test would be too much",
    pattern: `(test|testing|spec) ~3 (would|will|be|seem|feel|seems|feels|is) ~3 (overkill|unnecessary|superfluous|pointless|excessive|wasted|waste|needless|too much|not worth|not need|not necessary|optional|not require)`,
    when: (p) =>
      !isDocsOnly(p) &&
      !/ redundant /.test(insideOf(p)) &&
      !/ (?:be|was) (?:[^ ]+ )?optional (?:in|on|for) /.test(restOf(p)),
  },
  {
    name: "a look instead of a test",
    pattern:
      "(checked|check|tested|tried|verified|verify|click|clicked|try|test|eyeballed|eyeball|look) ~4 (in the browser|by_hand|manually|locally|visually|on my machine|with curl|in staging|in devtools) *8 (enough|sufficient|suffice|no|without|not|do|instead|good)",
    when: (p) =>
      !/ (?:and|then) (?:write|add) (?:[^ ]+ ){0,3}test/.test(afterOf(p)) &&
      / (?:enough|sufficient|suffice|will do|instead|no (?:automated )?test|not write|good enough|do) /.test(
        restOf(p),
      ),
  },
  {
    name: "the type checker instead of a test",
    pattern:
      "(type checker|typecheck|typechecker|type system|typescript|compiler|types|linter|lint|review|reviewer|qa|monitoring|users) (will|should|would|can|be|do)? (catch|do|enough|cover|suffice|find|notice|guarantee|replace|sufficient|protect|tell)",
    when: (p) =>
      / (?:test|suite|coverage|spec) /.test(joined(p)) &&
      / (?:no|not|without|skip|unneeded|instead|unnecessary|superfluous|overkill|needless|nah) /.test(
        joined(p),
      ),
  },
  {
    name: "no tests under Testing",
    pattern: "(none|no|nah|nope|n/a|nothing|skip|not applicable|na|untested)",
    when: (p) =>
      (/^(?:tests?|testing|test plan|how (?:was this|has this been|i) tested|qa|verification|test coverage)$/.test(
        (p.sentence.heading ?? "").replace(/[:?*]/g, "").trim(),
      ) ||
        /^ (?:test|testing|testcase)s? (?:\? |: |; )?$/.test(p.doc.sentences[p.index - 1]?.line ?? "") ||
        /^ (?:test|testing|suite|runtests) (?:plan )?[?:;] $/.test(beforeOf(p))) &&
      /^ (?:[^ ]+ ){0,3}$/.test(beforeOf(p)) &&
      !isDocsOnly(p),
    despite: ["negated"],
  },
  {
    name: "a test would be too much",
    pattern:
      "(test|spec|testing|coverage) ~6 (take|cost|be|need) ~1 (longer|more|too much|too long|overkill|silly|wasteful|exaggerate) *8",
    when: (p) =>
      / (?:than|so none|skip|overkill|silly|wasteful|not|worth|effort) /.test(restOf(p)) &&
      / (?:would|will|writing|write|be overkill) /.test(insideOf(p)) &&
      !/ (?:suite|run) /.test(insideOf(p)),
  },
  {
    name: "no tests",
    pattern:
      "(test|spec|testing) *3 not (need|necessary|require|applicable|worth|matter|important|apply|add|include)",
    when: (p) =>
      !isDocsOnly(p) &&
      !/ (?:fail|code|run) /.test(insideOf(p)) &&
      !/^ (?:up|in the (?:report|list))/.test(afterOf(p)),
    despite: ["negated"],
  },
  {
    name: "no tests",
    pattern:
      "(test|spec|testing) (do not|be not|will not) (matter|be important|count|be need|need|be necessary|be worth|apply|help|pay)",
    when: (p) => !isDocsOnly(p),
    despite: ["negated"],
  },
  {
    name: "not writing one",
    pattern: "not ~3 (add|write|create|include|adding|make|need) (one|any|some)",
    when: (p) =>
      / test (?:[^|]*)$/.test(`${linesBefore(p)}${beforeOf(p)}`.slice(-110)) &&
      !isDocsOnly(p) &&
      !isNegatedElsewhere(p),
    despite: ["negated"],
  },
  {
    name: "a fix without its test",
    pattern:
      "(fix|hotfix|change|patch|feature|pr|commit) (have|has|come with|ship with|carry|get|contain|include) no ^2 test",
    when: (p) => !isDocsOnly(p) && !/ (?:so far|yet|old|legacy) /.test(p.sentence.line),
    despite: ["negated"],
  },
  {
    name: "we do not test such things",
    pattern: "(i|we) (do|will|be|would) not (test|cover) ^3",
    when: (p) =>
      !/ (?:can|could) /.test(insideOf(p)) &&
      !isDocsOnly(p) &&
      !/ (?:only|before|until|by_hand|first|on|in|with|without|against) /.test(restOf(p)) &&
      / (?:change|so|fix|add|new|just|only|commit|push|merge|rename|here) /.test(joined(p)),
    despite: ["negated"],
  },
  {
    name: "not testing this",
    pattern: "(not|never) (going to|go to|to)? (test|testing) (this|it|that|them)",
    when: (p) =>
      !/ (?:can|could|who|if|why) (?:[^ ]+ )?$/.test(beforeOf(p)) &&
      !/ (?:test (?:this|it|that|them)) (?:by_hand|manually|yet|on) /.test(restOf(p)) &&
      !isDocsOnly(p),
    despite: ["negated"],
  },
  {
    name: "tests fall by the wayside",
    pattern:
      "(test|testing|suite|coverage) ~1 (will|have to|must|can|be)? ~1 (fall|go|slide|slip|drop|be sacrifice|suffer|drop out) ~2 (wayside|window|overboard|board|cracks|out|away)?",
    when: (p) => / (?:wayside|overboard|window|cracks|board|sacrifice) /.test(insideOf(p)),
  },
  {
    name: "nothing to test",
    pattern: "nothing to test",
    when: (p) =>
      / (?:sql|code|fix|query|handler|function|deploy|job|script|endpoint|api|refactor) /.test(joined(p)) &&
      !isDocsOnly(p) &&
      !/ (?:only|just) (?:the |a )?(?:logo|comment|docs?|text|string|image|icon|color|colour|wording) /.test(
        joined(p),
      ),
    despite: ["negated"],
  },
  {
    name: "tests let go",
    pattern: "let ^4 (test|testing|suite|coverage) (go|slide|slip|lapse|wait for nobody)",
  },
  {
    name: "no time for tests",
    pattern:
      "(no|not enough|little|out of) time (for|to|left for|leave for) ^4 (test|testing|suite|run test)",
    despite: ["negated"],
  },
  {
    name: "we can do without tests",
    pattern: `(do_without|get_by_without|go_without|live without|can live without|dispense with|drop) ^4 (test|testing|suite)`,
    when: isPlainSkip,
  },
  {
    name: "untested",
    pattern: `(ship|release|deploy|merge|push|commit|go_live|land|leave|publish|deploying|going) *6 (untested|uncovered|test-free|without coverage)`,
  },
];
