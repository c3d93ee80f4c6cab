/** The programs of the package, as they are called. */
export const PROGRAM_NAMES = [
  "worker",
  "steerer",
  "ctx",
  "agent-search",
  "agent-recall",
  "nightshift",
] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];
