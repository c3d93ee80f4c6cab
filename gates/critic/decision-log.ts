import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { appendLines } from "../../core/durable-file.ts";
import { AppError } from "../../core/errors.ts";
import { isWithin } from "../../core/is-within.ts";
import { ownFolder } from "../../core/own-folder.ts";
import { redactSecrets as redact } from "../../core/redaction.ts";
import type { Judgement } from "./judge.ts";

const MAX_TEXT = 500;

/** A path without links; of what is not there yet, the folder it would lie in. */
const realPath = (path: string): string => {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return folder === path ? path : join(realPath(folder), basename(path));
};

/** The git folder of a work tree; in a linked one `.git` is a file that names it. */
const findGitFolder = (root: string): string | undefined => {
  const git = join(root, ".git");
  if (!existsSync(git)) return undefined;
  if (statSync(git).isDirectory()) return git;
  const named = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1];
  return named === undefined ? undefined : isAbsolute(named) ? named : resolve(root, named);
};

const LOG_NAME = /\.(?:jsonl|log)$/;

/**
 * The file that decisions are appended to. A project says where, so it may only be a log among the records of the
 * project, of its git folder or of Nightshift: appended to any other file, a shell's start file say, the judged
 * text would be run.
 * @throws AppError `config` for any other path, also one that a link leads to
 */
export const getLogPath = (
  log: string,
  { root, userFolder }: { root: string; userFolder: string },
): string => {
  // Named by their real place, so that a `.nightshift` that is a link out of the project opens nothing.
  const own = join(realPath(root), ".nightshift");
  const git = findGitFolder(root);
  const folders = [own, ...[git, userFolder].filter((folder) => folder !== undefined).map(realPath)];
  const path = realPath(resolve(root, log));
  if (LOG_NAME.test(path) && folders.some((folder) => isWithin(path, folder))) return path;
  throw new AppError(
    "config",
    `critic.log ${JSON.stringify(log)} is ${path}; it must be a .jsonl or .log file in ${folders.join(" or ")}; write for example ".nightshift/critic.jsonl"`,
  );
};

/** Appends one decision as a JSON line: when, by whom asked, what was said, the rules that spoke. Secrets are taken out. */
export const logDecision = (
  path: string,
  { text, judgement, source, now }: { text: string; judgement: Judgement; source: string; now: number },
): void => {
  const line = {
    time: new Date(now).toISOString(),
    source,
    verdict: judgement.verdict,
    flags: judgement.flags.map(({ id, severity, match }) => ({ id, severity, match: redact(match) })),
    allowed: judgement.allowed.map(({ id, until }) => ({ id, until })),
    disabled: judgement.disabled.map(({ id }) => id),
    text: redact(text).slice(0, MAX_TEXT),
  };
  const project = /^(.*)\/\.nightshift\//.exec(path)?.[1];
  if (project !== undefined) ownFolder(project);
  appendLines(path, [JSON.stringify(line)]);
};
