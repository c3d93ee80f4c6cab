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

/** States of entries in order, a letter each. */
export const encodeStates = (states: readonly ContextState[]): string => {
  let text = "";
  for (const state of states) text += LETTERS[state];
  return text;
};

/** The state of one entry; undefined when it is not recorded. */
export const stateAt = (text: string, ordinal: number): ContextState | undefined =>
  STATES[text[ordinal] ?? ""];
