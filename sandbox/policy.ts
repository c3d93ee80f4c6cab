import type { LimitHolders } from "./limits/holders.ts";
import type { NetworkMode } from "./network/decide-target.ts";
import type { SandboxLimits } from "./settings.ts";

/**
 * What a session may do with a place. `open`: what is in it can be read, and new things in it end with the session.
 * `copy`: it may change what it finds, and the change ends with the session. `link`: a link to `from`.
 */
export type Access = "write" | "read" | "hidden" | "open" | "copy" | "link";

/** The rule of the longest path that a file lies in counts. */
export type Rule = { path: string; access: Access; why: string; from?: string };

/** What a session sees, whom it may call and what it may use: everything that a backend has to hold. */
export type Policy = {
  /** parents before what lies in them */
  rules: readonly Rule[];
  network: { mode: NetworkMode; allow: readonly string[] };
  limits: SandboxLimits;
  held: LimitHolders;
};

/** Rules by path: whoever says it last decides, and what is above comes first. */
export const createRuleBook = () => {
  const byPath = new Map<string, Rule>();
  return {
    add: (access: Access, why: string, paths: Iterable<string>): void => {
      for (const path of paths) byPath.set(path, { path, access, why });
    },
    put: (rule: Rule): void => void byPath.set(rule.path, rule),
    find: (path: string): Rule | undefined => byPath.get(path),
    list: (): Rule[] => [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
};

/** The rule that decides about a path; undefined where only the read-only root does. */
export const ruleFor = (rules: readonly Rule[], path: string): Rule | undefined =>
  rules.findLast((rule) => path === rule.path || path.startsWith(rule.path === "/" ? "/" : `${rule.path}/`));
