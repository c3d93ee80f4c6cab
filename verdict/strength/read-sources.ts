import type { Git } from "../../core/git.ts";
import { type ChangedFile, readBlob } from "./changed-files.ts";
import type { ChangedSource } from "./pair-tests.ts";
import type { SourceModel } from "./source-model.ts";
import { isNamedAsTest, languageOf } from "./test-files.ts";

/** The readers are loaded for the languages that changed. */
const readText = async (file: string, text: string): Promise<SourceModel | undefined> => {
  switch (languageOf(file)) {
    case "javascript":
      return (await import("./javascript/read-javascript.ts")).readJavascript(file, text);
    case "python":
      return (await import("./python/read-python.ts")).readPython(file, text);
    case "go":
      return (await import("./go.ts")).readGo(file, text);
    case "rust":
      return (await import("./rust.ts")).readRust(file, text);
    case undefined:
      return undefined;
  }
};

/** Nobody wrote it by hand, and reading it may take for ever. */
const LONG_LINE = /[^\n]{10000}/;

const UNREAD: SourceModel = {
  language: "",
  isTest: true,
  tests: [],
  marks: [
    { kind: "not-read", line: 1, text: "not-read", message: "not compared: it has lines that nobody wrote" },
  ],
  defined: new Map(),
  imported: new Map(),
  mocked: [],
  literals: [],
  answers: [],
  keys: [],
};

export const readSource = async (
  git: Git,
  file: string,
  id: string | undefined,
): Promise<SourceModel | undefined> => {
  const text = id === undefined ? undefined : await readBlob(git, id);
  if (text === undefined || !LONG_LINE.test(text))
    return text === undefined ? undefined : readText(file, text);
  return isNamedAsTest(file) ? UNREAD : undefined;
};

/** Both sides of the sources among some files. Tests that came to where no runner looks are none. */
export const readSources = async (git: Git, changed: readonly ChangedFile[]): Promise<ChangedSource[]> => {
  const sources: ChangedSource[] = [];
  for (const each of changed) {
    const language = languageOf(each.file);
    if (language === undefined) continue;
    const base = await readSource(git, each.file, each.base);
    const head = await readSource(git, each.file, each.head);
    const isFound = base !== undefined || language === "rust" || isNamedAsTest(each.file);
    if (base || head)
      sources.push({ file: each.file, base, head: head && !isFound ? { ...head, tests: [] } : head });
  }
  return sources;
};
