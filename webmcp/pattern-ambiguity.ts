import type { PatternAutomaton } from "./pattern-automaton.ts";
import { ANY, type CharacterSet } from "./pattern-parser.ts";

// Weber and Seidl, "On the degree of ambiguity of finite automata" (1991): two different ways around one loop on
// the same text make matching exponential; two loops that can share a text make it polynomial.

const MAX_STATES_FOR_TRIPLES = 24;

export const isExponential = (automaton: PatternAutomaton): boolean => {
  const { sets, follow, doubled } = automaton;
  const reaches = reachability(follow);
  if (doubled.some(([from, to]) => reaches[to]?.has(from) === true || from === to)) return true;
  const size = sets.length;
  const edges = (pair: number): number[] => nextPairs(automaton, pair);
  return sets.some(
    (_, state) =>
      reaches[state]?.has(state) === true &&
      onCycle(state * size + state, edges).some((pair) => isSplit(pair, size)),
  );
};

/** Two different ways over the same text can end in the same state: their number may multiply. */
export const converges = (automaton: PatternAutomaton): boolean => {
  const { sets, first, doubled } = automaton;
  if (doubled.length > 0) return true;
  const size = sets.length;
  const edges = (pair: number): number[] => nextPairs(automaton, pair);
  const starts = pairsOf(automaton, first, first);
  return [...starts, ...search(starts, edges)].some(
    (pair) => isSplit(pair, size) && edges(pair).some((next) => !isSplit(next, size)),
  );
};

/** No two loops can share a text while the first leads to the second (careful above a few states). */
export const isLinear = (pattern: PatternAutomaton, anchored: boolean): boolean => {
  const automaton = anchored ? pattern : withFreeStart(pattern);
  const reaches = reachability(automaton.follow);
  const loops = [...automaton.sets.keys()].filter((state) => reaches[state]?.has(state) === true);
  const chained = loops.flatMap((from) =>
    loops.filter((to) => to !== from && reaches[from]?.has(to) === true).map((to) => [from, to] as const),
  );
  if (chained.length === 0) return true;
  if (automaton.sets.length > MAX_STATES_FOR_TRIPLES) return false;
  return !chained.some(([from, to]) => shareText(automaton, from, to));
};

/** An unanchored pattern is tried at every place of the text: the same as any text before it. */
const withFreeStart = ({ sets, first, follow, doubled }: PatternAutomaton): PatternAutomaton => {
  const start = sets.length;
  return {
    sets: [...sets, ANY],
    first: [...first, start],
    follow: [...follow, new Set([...first, start])],
    doubled,
  };
};

/** Some text leads from `from` to itself, from `from` to `to` and from `to` to itself. */
const shareText = (automaton: PatternAutomaton, from: number, to: number): boolean => {
  const { sets, follow } = automaton;
  const size = sets.length;
  const key = (pair: number, third: number): number => pair * size + third;
  const edges = (triple: number): number[] => {
    const next: number[] = [];
    for (const pair of nextPairs(automaton, Math.floor(triple / size)))
      for (const third of follow[triple % size] ?? [])
        if (common(sets, Math.floor(pair / size), pair % size, third)) next.push(key(pair, third));
    return next;
  };
  return search([key(from * size + from, to)], edges).has(key(from * size + to, to));
};

/** Some character is in the sets of all these states. */
const common = (sets: readonly CharacterSet[], ...states: readonly number[]): boolean =>
  states.reduce((set, state) => set & (sets[state] ?? 0n), ANY) !== 0n;

const isSplit = (pair: number, size: number): boolean => Math.floor(pair / size) !== pair % size;

/** A pair of states is read as: the same text led to both. */
const nextPairs = (automaton: PatternAutomaton, pair: number): number[] => {
  const size = automaton.sets.length;
  return pairsOf(
    automaton,
    automaton.follow[Math.floor(pair / size)] ?? [],
    automaton.follow[pair % size] ?? [],
  );
};

const pairsOf = ({ sets }: PatternAutomaton, lefts: Iterable<number>, rights: Iterable<number>): number[] => {
  const pairs: number[] = [];
  for (const left of lefts)
    for (const right of rights) if (common(sets, left, right)) pairs.push(left * sets.length + right);
  return pairs;
};

/** Every node that lies on some way from `start` back to itself. */
const onCycle = (start: number, edges: (node: number) => readonly number[]): number[] => {
  const back = new Map<number, number[]>();
  for (const node of [start, ...search([start], edges)])
    for (const next of edges(node)) append(back, next, node);
  return [...search([start], (node) => back.get(node) ?? [])];
};

const append = (lists: Map<number, number[]>, key: number, value: number): void => {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
};

/** Everything that can be reached in one or more steps. */
const search = (starts: readonly number[], edges: (node: number) => Iterable<number>): Set<number> => {
  const seen = new Set<number>();
  const waiting = [...starts];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop())
    for (const next of edges(node))
      if (!seen.has(next)) {
        seen.add(next);
        waiting.push(next);
      }
  return seen;
};

const reachability = (follow: readonly Set<number>[]): Set<number>[] =>
  follow.map((_, state) => search([state], (node) => follow[node] ?? []));
