import type { ContextState } from "../../agents/store.ts";

const LETTERS: Record<ContextState, string> = {
  in: "i",
  compacted: "c",
  branch: "b",
  excluded: "x",
  cleared: "e",
  sidechain: "s",
  "not-sent": "n",
};
const STATES = Object.fromEntries(
  Object.entries(LETTERS).map(([state, letter]) => [letter, state as ContextState]),
);

/** States of entries in order, as runs: `i40c12`. */
export const encodeStates = (states: readonly ContextState[]): string => {
  let text = "";
  for (let from = 0; from < states.length;) {
    const state = states[from] as ContextState;
    let to = from;
    while (to < states.length && states[to] === state) to += 1;
    text += `${LETTERS[state]}${to - from}`;
    from = to;
  }
  return text;
};

/** The state of one entry; undefined when it is not recorded. */
export const stateAt = (runs: string, ordinal: number): ContextState | undefined => {
  let end = 0;
  for (let at = 0; at < runs.length;) {
    const letter = runs[at] ?? "";
    let length = 0;
    // By hand: a first regular expression takes longer than all of this.
    for (at += 1; at < runs.length && (runs[at] as string) <= "9"; at += 1)
      length = length * 10 + Number(runs[at]);
    end += length;
    if (ordinal < end) return STATES[letter];
  }
  return undefined;
};
