/** Stands in a word for what only the running shell knows. */
export const UNKNOWN = "\u0001";
/** Where temporary folders lie that the command makes itself. */
export const OWN_TEMP = "/tmp/made-here";

/** A word of a command as the shell would hand it on, as far as that can be told without running anything. */
export type Word = { text: string; source: string };

/** One program that would be started, with everything around it that says what it does. */
export type Call = {
  /** its name without folders, in lower case */
  program: string;
  /** its name as it is written */
  source: string;
  args: Word[];
  /** the same without `UNKNOWN` parts, for rules that look at plain words */
  words: string[];
  env: Readonly<Record<string, string>>;
  /** what is written on its standard input, where that is in the text */
  input: string | undefined;
  /** the calls before it in its pipeline, nearest last */
  before: readonly Call[];
  /** calls in its substitutions: `$(…)`, `<(…)` */
  inside: readonly Call[];
  /** files it writes by redirection, as absolute paths */
  writes: readonly string[];
  places: Places;
  /** calls earlier in the same text, in order */
  earlier: readonly Call[];
};

/** Where the command is run, and what is of no account there. */
export type Places = {
  /** the work tree that the agent may do with as it likes */
  tree: string;
  home: string;
  /** the working directory at this point */
  dir: string;
};
