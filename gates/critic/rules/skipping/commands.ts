import {
  isDocsOnly,
  isRestored,
  isPlainSkip,
  PLATFORM,
  isDocumented,
  isPlainFix,
  isAfterTests,
  isBypass,
} from "./circumstances.ts";
import { beforeOf, insideOf, restOf, untilOf, type Frame, says } from "../rule.ts";

/** Switches, marks and hooks: what stands in code and on command lines. */
export const COMMANDS: readonly Frame[] = [
  {
    name: "one test alone is left to run",
    pattern: "(it.only|test.only|describe.only|fit|fdescribe)",
    when: (p) =>
      !isRestored(p) &&
      !isDocumented(p) &&
      / (?:push|merge|commit|ship|rest|others|ci|green) /.test(p.sentence.line) &&
      !/ (?:against|iterate|debug|while|forbid|rule) /.test(p.sentence.line),
  },
  {
    name: "skip CI",
    pattern: "<skip> (the|our|all)? (ci|pipeline|github actions|hook|pre-commit|pre-push|husky)",
    when: (p) => isPlainSkip(p) && !/ hook (?:for|in|call)/.test(restOf(p)),
  },
  { name: "bypassed hooks", pattern: "(NOVERIFY|-n)", when: (p) => isBypass(p) },
  {
    name: "bypassed hooks",
    pattern:
      "(<skip>|<disable>|<remove>|uninstall|circumvent|no-op) ^4 (hook|husky|pre-commit|pre-push|lefthook)",
    when: (p) => isBypass(p) && !/ (?:lifecycle|react|webhook|git hook file sample) /.test(insideOf(p)),
  },
  { name: "CI told to skip", pattern: "SKIPCI", when: (p) => !isDocsOnly(p) },
  {
    name: "tests switched off on the command line",
    pattern: "SKIPFLAG",
    when: (p) => !isAfterTests(p) && !isRestored(p) && !isDocumented(p) && !isPlainFix(p),
  },
  {
    name: "a test marked to be skipped",
    pattern: "SKIPMARK",
    when: (p) =>
      !/s([/|#])[^/|#]*skip[^/|#]*\1(?![^/|#]*skip)/i.test(p.doc.text) &&
      !isRestored(p) &&
      !says(p, PLATFORM, p.sentence.line) &&
      !isDocumented(p) &&
      !/ (?:no|not) SKIPMARK/.test(p.sentence.line) &&
      !/ (?:three|all|both|each|every|the) (?:SKIPMARK )?test be (?:enable|restore)/.test(p.sentence.line),
  },
  {
    name: "required checks bypassed",
    pattern:
      "(<skip>|<disable>|<ignore>|override|remove|lift|turn_off|get past|work around|get) ^3 (branchprotection|protection|protections|required check|required checks|merge gate|quality gate|status check|merge check|merge checks|status checks)",
    when: (p) => !/ (?:not|never) (?:[^ ]+ )?$/.test(beforeOf(p)),
  },
  {
    name: "hooks off",
    pattern:
      "(with|without|bypassing) ^2 (hook|hooks|husky|pre-commit|lefthook) ~1 (disable|off|turn_off|skip|bypass|deactivate)?",
    when: (p) =>
      / (?:push|commit|merge) /.test(p.sentence.line) &&
      isBypass(p) &&
      / (?:without|disable|off|turn_off|skip|bypass|deactivate) /.test(insideOf(p)),
  },
  {
    name: "a test given a skip",
    pattern: "(test|suite|spec|case) ~3 (get|receive|carry) ~4 (skip|SKIPMARK|xfail|xfailed)",
  },
  {
    name: "a test left early on CI",
    pattern: "(SKIPMARK|return|exit|bail) *8 (test|suite)",
    when: (p) =>
      / (?:ci|env) /.test(untilOf(p).replace(/process\.env(?:\.ci)?/g, " env ")) &&
      / (?:return|exit) /.test(insideOf(p)) &&
      / (?:if|when) /.test(beforeOf(p)),
  },
];
