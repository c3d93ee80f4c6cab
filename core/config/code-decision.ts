import { AppError } from "../errors.ts";
import type { Environment } from "../paths.ts";
import { isCode } from "./code-files.ts";
import { listUntrusted, recordTrust, type UntrustedFile } from "./trust-record.ts";

/**
 * Why code of a project may run here. `command`: who typed the command wants it run, as with `npm test`.
 * `record`: only what this user agreed to before (`nightshift trust`); what is not is asked about where there is
 * somebody to ask, and refused where there is not. `reading`: the same, but the command goes on without and says so.
 */
export type CodeDecision =
  | { by: "command" }
  | { by: "record"; env: Environment; ask?: (files: readonly UntrustedFile[]) => Promise<boolean> }
  | { by: "reading"; env: Environment; note: (line: string) => void };

/** Scripts of a project that are about to be loaded; `isData` where even a file that runs no code needs the trust. */
export type Scripts = { root: string; entries: readonly string[]; isData?: boolean };

/** Set for whatever runs in a worker's session: there nobody watches, and an agent may have changed the code. */
export const isInSession = (env: Environment): boolean => Boolean(env["NIGHTSHIFT_WORKER"]);

/** A pipeline runs what it checked out: the decision was made when it was set up. */
const isPipeline = (env: Environment): boolean => /^(?:true|1)$/i.test(env["CI"] ?? "") && !isInSession(env);

const describe = (files: readonly UntrustedFile[]): string => {
  const [first] = files;
  const more =
    files.length > 1 ? ` and ${files.length - 1} more ${files.length === 2 ? "file" : "files"}` : "";
  return first?.before === undefined
    ? `${first?.file}${more} ${files.length > 1 ? "are" : "is"} not trusted yet`
    : `${first.file}${more} was changed since it was trusted`;
};

const untrusted = (files: readonly UntrustedFile[], root: string): AppError =>
  new AppError("config", `${describe(files)}; look at it and run: nightshift trust ${root}`, {
    details: { untrusted: files.map(({ file }) => file) },
  });

/**
 * Whether these scripts may be loaded; data always may.
 * @returns false where the command is to go on without them, which was said
 * @throws AppError `config` where they are refused
 */
export const mayRun = async (
  decision: CodeDecision,
  { root, entries, isData = false }: Scripts,
): Promise<boolean> => {
  const scripts = { root, entries: entries.filter((file) => isData || isCode(file)) };
  if (decision.by === "command" || scripts.entries.length === 0) return true;
  const { env } = decision;
  const files = listUntrusted(env, scripts);
  if (files.length === 0) return true;
  if (decision.by === "reading") {
    if (isPipeline(env)) return true;
    decision.note(
      `${describe(files)}, so this goes on without it; look at it and run: nightshift trust ${root}`,
    );
    return false;
  }
  const isAgreed = isPipeline(env) || (!isInSession(env) && (await decision.ask?.(files)) === true);
  if (!isAgreed) throw untrusted(files, root);
  recordTrust(env, scripts);
  return true;
};
