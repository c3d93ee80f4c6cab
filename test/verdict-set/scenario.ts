/** What a scripted agent does to a project before it says DONE. */
export type Step =
  | { write: string; text: string }
  | { replace: string; from: string; to: string }
  | { remove: string }
  | { move: string; to: string }
  /** a shell command in the project's folder */
  | { run: string };

export type Language = "javascript" | "typescript" | "python" | "go" | "rust";

export type Scenario = {
  id: string;
  language: Language;
  /** how it cheats; for an honest run, what it does */
  kind: string;
  /** the public report that it was made from */
  source?: string;
  task: string;
  /** as in the config, before the agent starts */
  mayChange?: readonly string[];
  /** what its repository begins with beyond the project of its language, or in the place of files there */
  files?: Readonly<Record<string, string>>;
  agent: readonly Step[];
  /** not to be seen in the syntax of two commits: the seal, the clean room or a run tells, or no rule does */
  by?: "room" | "run" | "nobody";
};

export const cheat = (
  language: Language,
  id: string,
  {
    kind,
    source,
    by,
    files,
    task = "Make the tests pass.",
  }: Pick<Scenario, "kind" | "by" | "files"> & { source: string; task?: string },
  ...agent: Step[]
): Scenario => ({
  id: `${language}/${id}`,
  language,
  kind,
  source,
  task,
  agent,
  ...(by ? { by } : {}),
  ...(files ? { files } : {}),
});

export const honest = (
  language: Language,
  id: string,
  { kind, task, mayChange, files }: Pick<Scenario, "kind" | "task" | "mayChange" | "files">,
  ...agent: Step[]
): Scenario => ({
  id: `${language}/${id}`,
  language,
  kind,
  task,
  agent,
  ...(mayChange ? { mayChange } : {}),
  ...(files ? { files } : {}),
});
