import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CriticSettings } from "./critic-settings.ts";
import type { DestructiveFinding } from "./catalogue.ts";
import { mayDestroy } from "./destructive/may-destroy.ts";
import { judge, type Judgement } from "./judge.ts";
import { readText } from "./reader/sentences.ts";

/** What somebody is about to do, and where. */
export type Action = {
  text: string;
  /** the text is a command of a tool call */
  isCommand?: boolean;
  /** what a shell would be given */
  commands: readonly string[];
  dir: string;
  home: string;
  /** milliseconds since the epoch */
  now: number;
};

/** The work tree that a folder lies in; nobody is asked for it, so that git is not started before every action. */
const findTree = (dir: string): string => {
  for (let folder = dir; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return dir;
  }
};

const findHarm = async ({ commands, dir, home }: Action): Promise<DestructiveFinding[]> => {
  const read = commands.filter(mayDestroy);
  if (read.length === 0) return [];
  const { findDestructive } = await import("./destructive/find-destructive.ts");
  const places = { tree: findTree(dir), home, dir };
  return read.flatMap((command) => findDestructive(command, places));
};

const findOwn = async (text: string, { patterns }: CriticSettings) => {
  if (patterns.length === 0) return [];
  const { findOwnFlags } = await import("./own-patterns.ts");
  return findOwnFlags(readText(text), patterns);
};

/**
 * Judges an action by a project's settings. It is asked before every tool call: the shell parser is loaded for
 * commands that could destroy something, patterns of one's own where there are any.
 */
export const judgeAction = async (action: Action, settings: CriticSettings): Promise<Judgement> =>
  judge(action.text, {
    ...settings,
    isCommand: action.isCommand ?? false,
    own: await findOwn(action.text, settings),
    destructive: await findHarm(action),
    now: action.now,
  });
