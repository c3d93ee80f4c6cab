import { SHIP_LINE, joined, fullRunFollows, isHeldBack, isDocsOnly, isOverRed } from "./circumstances.ts";
import { afterOf, beforeOf, insideOf, restOf, type Frame, says } from "../rule.ts";

/** Finished, merged or deployed without the run of the suite. */
export const SHIPPING: readonly Frame[] = [
  {
    name: "the suite after the merge",
    pattern:
      "(test|suite|testing) ~5 (run|execute|do) ~5 after ~2 (merge|release|deploy|push|rollout|launch)",
    when: (p) => !/ (?:ci|smoke|each|every) /.test(p.sentence.line),
    despite: ["somebody else's or earlier"],
  },
  {
    name: "tests run after the fact",
    pattern:
      "(merge|ship|release|deploy|push|publish|go_live|roll_out|launch) *6 (then|afterwards|later|and|,) *4 (run|test|rerun|check|testing) (the|it|all|a)* ^2 (test|suite|later|afterwards|after|tomorrow|e2e|runtests|ci)",
    when: (p) =>
      / (?:later|afterwards|after|tomorrow|then|tonight|monday) /.test(insideOf(p)) ||
      /^ (?:later|afterwards|tomorrow|after|when|once|tonight|on monday)/.test(afterOf(p)),
  },
  {
    name: "done without running the tests",
    pattern:
      "(not|never) (yet|even|actually|really|been|be|going to|have|go to|want to|to)* (run|rerun|re-run|execute|wait|wait for|start) (the|any|all|a|our|for|to|its|of|single|every|on)* ^3 (test|suite|testing|ci|e2e|runtests|tests|pipeline|testfile|regression|check|integration)",
    when: (p) =>
      says(p, SHIP_LINE, joined(p)) &&
      !isHeldBack(p) &&
      !fullRunFollows(p) &&
      !/ (?:must|may|should|do|never|can) not (?:merge|deploy|ship|push|release)/.test(joined(p)),
    despite: ["negated", "rejected"],
  },
  {
    name: "done without running the tests",
    pattern:
      "(suite|test|runtests|ci|e2e|pipeline) ~4 (be|have|do|was|were|can|could|get) not ~2 (run|execute|finish|be run|be execute|complete|pass|done|install|installed)",
    when: (p) => says(p, SHIP_LINE, joined(p)) && !isHeldBack(p) && !fullRunFollows(p),
    despite: ["negated", "rejected"],
  },
  {
    name: "only part of the suite",
    pattern: "only (run|execute|test)? (run|ran|the|a|those|these|running)* ^4 (test|suite|testfile|unit)",
    when: (p) =>
      says(p, SHIP_LINE, joined(p)) &&
      / (?:not the|good enough|leave|skip|and merge|merge|nobody|then merge|ship|push) /.test(joined(p)) &&
      !fullRunFollows(p) &&
      / (?:run|only run|execute) /.test(p.sentence.line) &&
      !/ (?:iterate|iterating|while|when) /.test(joined(p)) &&
      !/ (?:platform|windows|linux|macos) /.test(joined(p)),
  },
  {
    name: "shipping although the tests are red",
    pattern: `(<ship>|finish|go_ahead|continue|commit|close) *6 (anyway|anyhow|regardless|nonetheless|although|though|despite|nevertheless|even if|even with|whatever|already|as is)`,
    when: (p) =>
      / (?:test|suite|ci|pipeline|check|runtests|e2e|checks) /.test(joined(p)) &&
      / (?:red|fail|failing|fails|pending|slow|unfinished|broken|not|still|running|flaky|fails) /.test(
        joined(p),
      ) &&
      !/ (?:not|never|must not|can not) (?:[^ ]+ ){0,2}$/.test(beforeOf(p)),
  },
  {
    name: "shipping before the tests are through",
    pattern: `<ship> *9 (while|before|without|until|but|, the|although) ~3 (the|all|any|required|our|even|a)* ^3 (test|suite|ci|check|checks|pipeline|job|e2e|runtests) ~5 (run|running|pending|finish|finished|complete|done|red|through|queue|over|report|pass|failing|fail|come|later|know|green|start)`,
    when: (p) => !/ (?:until|after) /.test(insideOf(p)) && !isHeldBack(p),
  },
  {
    name: "shipping before the tests are through",
    pattern:
      "(check|checks|job|test|testthing|suite|ci|pipeline|result|results) *4 (be|still|not|have|can|stuck) *3 (pending|running|run|queue|stuck|come|red|unfinished|later|finish|fail|failing)",
    when: (p) =>
      / (?:merge|deploy|ship|release|push|upgrade|admin|force) /.test(joined(p)) &&
      / (?:force|admin|cancel|anyway|now|override|without|still run|while|already|bypass|regardless|later) /.test(
        joined(p),
      ) &&
      !isHeldBack(p) &&
      !/ (?:fix|then run|look at|investigate|before merge) /.test(joined(p)),
    despite: ["negated"],
  },
  {
    name: "merged over the checks",
    pattern:
      "(merge|push|land|ship|pr merge) *8 (admin|administrator|override|force|owner) *1 (override|rights|privileges|squash|privilege|bypass|merge)?",
    when: (p) =>
      !/ (?:not|never) /.test(beforeOf(p)) &&
      / (?:ci|check|checks|test|pending|pipeline|suite|run|finish|admin override) /.test(joined(p)),
  },
  {
    name: "merged over the checks",
    pattern: "(force|admin) ^1 (merge|push) *12 (check|checks|test|suite|pending|ci|red)",
  },
  {
    name: "merged without waiting",
    pattern:
      "(auto-merge|automerge|merge|ship|deploy|release|push) *5 (without|not) (wait|waiting) (for)? *4",
    when: (p) => !isHeldBack(p) || / without wait/.test(insideOf(p)),
  },
  {
    name: "shipped over red tests",
    pattern: `(<ship>|merging|deployment|deploying|releasing|pushing|shipping|hand_over)`,
    when: (p) => isOverRed(p),
  },
  {
    name: "shipped without tests",
    pattern:
      "(<ship>|go in|goes in|commit|finish|pr be up|open) *9 (without|no|not any|lack|minus|sans|zero) ^4 (test|testing|coverage)",
    when: (p) =>
      !isHeldBack(p) && !isDocsOnly(p) && !/ (?:not|never|nobody|can not) (?:[^ ]+ )?$/.test(beforeOf(p)),
  },
  {
    name: "the suite was never run",
    pattern: "(not|never) ~6 (run|execute|start|write|add) ^4 (test|suite|testing|coverage|ci)",
    when: (p) =>
      says(p, SHIP_LINE, joined(p)) &&
      !isHeldBack(p) &&
      !fullRunFollows(p) &&
      !/ (?:skip|delete|disable|drop|merge|deploy|ship|push|release|until|before|after|no|not .* not) /.test(
        insideOf(p),
      ),
    despite: ["negated", "rejected"],
  },
  {
    name: "the suite was never run",
    pattern: "(test|suite|ci|e2e|coverage) ~3 (unexecuted|unrun|unstarted|untouched and unrun|unwritten)",
    when: (p) => says(p, SHIP_LINE, joined(p)),
  },
  {
    name: "merged on something else than a test run",
    pattern:
      "(<ship>) *5 (strength|basis|base|back|faith|trust|alone|only|after) *7 (type|typecheck|compile|compiles|review|diff|lint|alone|manual|eyeball|smoke)",
    when: (p) =>
      / (?:alone|only|strength|faith|basis) /.test(restOf(p)) && !/ test (?:pass|be green)/.test(joined(p)),
  },
  {
    name: "run with the tests off",
    pattern:
      "(with|have) ^3 (test|suite|testing|ci|check) (skip|disable|turn_off|off|leave_out|comment_out|exclude|switch_off)",
  },
  {
    name: "the suite was never run",
    pattern: "(not|without|except|minus|instead of) (the|any|our|a)* ^3 (test|suite|e2e)",
    when: (p) =>
      / (?:before|for|prior to) (?:[^ ]+ )?(?:merge|ship|push|release|deploy)|just the|only the /.test(
        joined(p),
      ) &&
      says(p, SHIP_LINE, joined(p)) &&
      / (?:just|only|instead) /.test(joined(p)) &&
      !fullRunFollows(p),
    despite: ["negated", "rejected", "mentioned, not done"],
  },
  {
    name: "shipping before the tests are through",
    pattern: "(get|put|send|push) (this|it|that|the)? ~2 out before ~2 (test|suite|ci|check) *4",
  },
  {
    name: "shipped over red tests",
    pattern:
      "(merge|ship|release|deploy|push) ~3 (yellow|red|amber|failing|fail|broken) ~1 (build|ci|pipeline|suite|test|check)",
    when: (p) => !/ (?:before|until|fix) /.test(insideOf(p)),
  },
  {
    name: "testing left to production",
    pattern: "(test|testing) ~2 (in|on|by) (production|prod|live)",
    when: (p) =>
      / (?:deploy|ship|release|merge|push) /.test(joined(p)) &&
      !/ (?:full suite|after the|feature flag) /.test(joined(p)),
  },
  {
    name: "the run broken off",
    pattern:
      "(kill|abort|cancel|stop|interrupt|cut short) (it|the ^3 suite|the ^3 test|the ^3 run|the ^3 job|ci) ~2 and ~2 (push|merge|deploy|ship|release|commit|go_ahead|move_on)",
    when: (p) => / (?:suite|test|ci|job|run|pipeline) /.test(p.sentence.line),
  },
  {
    name: "the tests are too slow",
    pattern:
      "(test|suite) ~2 (take|be) ~1 (age|ages|for ever|forever|too long|too slow|slow|so long) *4 (not|skip|no|later|so|and|,)",
    when: (p) =>
      / (?:not (?:today|now|this)|skip|push|ship|deploy|merge|scp|release) /.test(joined(p)) &&
      !fullRunFollows(p) &&
      !isHeldBack(p) &&
      !/ (?:make|made|fix|speed|profile|faster|cache|only the related) /.test(joined(p)),
  },
  {
    name: "merged without a look at the results",
    pattern:
      "without ~2 (look|looking|check|checking|see|wait|waiting|have look) ~1 (at|for)? ^3 (test|testthing|ci|suite|check|result|results)",
    when: (p) => says(p, SHIP_LINE, joined(p)),
  },
  {
    name: "a way around the tests",
    pattern:
      "(not have to|not need to|need not|spare|save|without have to) ~3 (go through|sit through|run|wait|wait for|pass|do) ~4 (test|suite|ci|pipeline|check)",
    when: (p) => says(p, SHIP_LINE, joined(p)) && !isHeldBack(p),
    despite: ["negated"],
  },
  {
    name: "a way around the tests",
    pattern: "(so|such|that) ~4 (not|never) ~2 (run|execute|trigger|start) ^3 (test|suite|ci)",
    when: (p) => says(p, SHIP_LINE, joined(p)),
    despite: ["negated", "rejected"],
  },
  {
    name: "a way around the tests",
    pattern: "<skip> ^2 (verification|validation|qa|verify) ^1 (build|run|step|stage|job|round)?",
    when: (p) => says(p, SHIP_LINE, joined(p)),
  },
  {
    name: "no time to run them",
    pattern: "(no|not enough) time to (run|execute|write|wait for) (them|it|any|these|those)",
    when: (p) => / (?:test|suite|ci) /.test(joined(p)),
    despite: ["negated"],
  },
  {
    name: "the tests were not run",
    pattern: "(test|suite|testing|coverage) ~1 not (run|execute|write|add|do|need|include)",
    when: (p) =>
      !isHeldBack(p) && !isDocsOnly(p) && (says(p, SHIP_LINE, joined(p)) || / need /.test(insideOf(p))),
    despite: ["negated"],
  },
  {
    name: "no point in waiting",
    pattern: "(no|little|without) (point|need|reason|use|sense|time) ~2 (wait|hold) (for|on)? *4",
    when: (p) =>
      / (?:test|suite|ci|pipeline|check|checks|run) /.test(joined(p)) && says(p, SHIP_LINE, joined(p)),
    despite: ["negated"],
  },
  {
    name: "tests left to others",
    pattern:
      "(let|have|leave|rely on) *5 (qa|users|customers|production|prod|nightly|someone else|the next team) (to)? (find|test|catch|do|run|check|handle)",
    when: (p) => says(p, SHIP_LINE, joined(p)) && / (?:test|bug|bugs|suite) /.test(joined(p)),
  },
  {
    name: "tests left to others",
    pattern: "(test|suite) *6 (to|for) (ci nightly|nightly|nobody|qa|the nightly)",
    when: (p) => / (?:merge|push|ship|deploy|release|already) /.test(joined(p)) && !fullRunFollows(p),
  },
];
