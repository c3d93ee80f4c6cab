import type { CharacterSet, PatternNode } from "./pattern-parser.ts";

/**
 * The pattern as a position automaton (Glushkov): one state for each character set, an edge where one may
 * follow the other. `doubled` are the edges that two different repetitions both add, as in `(a+)+`: the
 * automaton takes them once, a backtracking engine tries both.
 */
export type PatternAutomaton = {
  sets: CharacterSet[];
  first: number[];
  follow: Set<number>[];
  doubled: [number, number][];
};

type Fragment = { nullable: boolean; first: number[]; last: number[] };

/** Beyond this many character sets a counted repetition is taken as an open one. */
const MAX_COPIED_STATES = 100;

export const buildAutomaton = (root: PatternNode): PatternAutomaton => {
  const automaton: PatternAutomaton = { sets: [], first: [], follow: [], doubled: [] };

  const connect = (from: readonly number[], to: readonly number[]): void => {
    for (const source of from)
      for (const target of to) {
        const edges = automaton.follow[source];
        if (edges?.has(target) === true) automaton.doubled.push([source, target]);
        edges?.add(target);
      }
  };

  const build = (node: PatternNode): Fragment => {
    switch (node.kind) {
      case "empty":
        return { nullable: true, first: [], last: [] };
      case "set": {
        const state = automaton.sets.push(node.set) - 1;
        automaton.follow.push(new Set());
        return { nullable: false, first: [state], last: [state] };
      }
      case "sequence":
        return node.items.map(build).reduce(join, { nullable: true, first: [], last: [] });
      case "choice": {
        const parts = node.items.map(build);
        return {
          nullable: parts.some((part) => part.nullable),
          first: parts.flatMap((part) => part.first),
          last: parts.flatMap((part) => part.last),
        };
      }
      case "repeat":
        return repeated(node);
    }
  };

  const join = (left: Fragment, right: Fragment): Fragment => {
    connect(left.last, right.first);
    return {
      nullable: left.nullable && right.nullable,
      first: left.nullable ? [...left.first, ...right.first] : left.first,
      last: right.nullable ? [...left.last, ...right.last] : right.last,
    };
  };

  const repeated = ({ item, min, max }: { item: PatternNode; min: number; max: number }): Fragment => {
    if (max === 0) return { nullable: true, first: [], last: [] };
    if (min === max && automaton.sets.length + min * countSets(item) <= MAX_COPIED_STATES)
      return Array.from({ length: min }, () => build(item)).reduce(join);
    const once = build(item);
    // Every other count is taken as "any number": more ways to match, never fewer.
    if (max > 1) connect(once.last, once.first);
    return { ...once, nullable: once.nullable || min === 0 };
  };

  return { ...automaton, first: build(root).first };
};

const countSets = (node: PatternNode): number => {
  switch (node.kind) {
    case "empty":
      return 0;
    case "set":
      return 1;
    case "repeat":
      return countSets(node.item) * (node.min === node.max ? node.max : 1);
    case "sequence":
    case "choice":
      return node.items.reduce((sum, item) => sum + countSets(item), 0);
  }
};
