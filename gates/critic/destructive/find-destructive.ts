import { type Call, UNKNOWN } from "./call.ts";
import type { DestructiveFinding, DestructiveId } from "../catalogue.ts";
import { readShell } from "./read-shell.ts";
import { CLOUD_RULES } from "./rules/clouds.ts";
import { DATABASE_RULES } from "./rules/databases.ts";
import { FILE_RULES } from "./rules/files.ts";
import { GIT_RULES } from "./rules/git.ts";
import { PROCESS_RULES } from "./rules/processes.ts";
import { PUBLISHING_RULES } from "./rules/publishing.ts";
import { REMOTE_CODE_RULES } from "./rules/remote-code.ts";
import type { FindHarm } from "./rules/rule.ts";
import { SYSTEM_RULES } from "./rules/system.ts";

const RULES: readonly FindHarm[] = [
  ...GIT_RULES,
  ...FILE_RULES,
  ...DATABASE_RULES,
  ...CLOUD_RULES,
  ...SYSTEM_RULES,
  ...REMOTE_CODE_RULES,
  ...PUBLISHING_RULES,
  ...PROCESS_RULES,
];

const describeCall = ({ program, args, writes }: Call): string =>
  [
    program,
    ...args.map(({ source }) => source.replaceAll(UNKNOWN, "…")),
    ...writes.map((path) => `> ${path}`),
  ].join(" ");

/** A function that calls itself twice, one of them in the background. */
const FORK_BOMB = /([\w:.]+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1\s*&[^}]*\}/;

/**
 * What a shell command would destroy, each rule once. The text is read as a shell reads it, whatever is wrapped
 * around a command; nothing is run and no file is looked at.
 */
export const findDestructive = (
  command: string,
  { tree, home, dir = tree }: { tree: string; home: string; dir?: string },
): DestructiveFinding[] => {
  const found = new Map<DestructiveId, string>();
  const bomb = FORK_BOMB.exec(command)?.[0];
  if (bomb !== undefined) found.set("D7", bomb);
  for (const call of readShell(command, { tree, home, dir }))
    for (const find of RULES) {
      const rule = find(call);
      if (rule !== undefined && !found.has(rule)) found.set(rule, describeCall(call));
    }
  return [...found].map(([rule, match]) => ({ rule, match }));
};
