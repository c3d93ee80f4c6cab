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
const STATES: Record<string, ContextState> = {};
for (const state in LETTERS) STATES[LETTERS[state as ContextState]] = state as ContextState;

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

const ZERO = 48;

/** The state of one entry; undefined when it is not recorded. */
export const stateAt = (runs: string, ordinal: number): ContextState | undefined => {
  let end = 0;
  for (let at = 0; at < runs.length;) {
    const letter = at;
    let length = 0;
    // By hand: a first regular expression takes longer than all of this.
    for (at += 1; at < runs.length; at += 1) {
      const digit = runs.charCodeAt(at) - ZERO;
      if (digit > 9) break;
      length = length * 10 + digit;
    }
    end += length;
    if (ordinal < end) return STATES[runs[letter] ?? ""];
  }
  return undefined;
};
