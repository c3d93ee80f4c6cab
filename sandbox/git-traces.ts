import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../core/clock.ts";
import { writeFileDurably } from "../core/durable-file.ts";
import { AppError } from "../core/errors.ts";
import { waitForLock } from "../core/file-lock.ts";
import { type ChildIdentity, judgeLife, ownIdentity } from "../core/process-identity.ts";
import { readFileIfThere } from "../core/read-file.ts";
import { PLACEHOLDERS, listGitFolders } from "./git-places.ts";

/**
 * Who has a sandbox in a git folder, and which files were missing before the first of them came. A file that is
 * taken away takes its mount with it in every sandbox, so that only the last one may.
 */
type Record = { users: { id: string; who: ChildIdentity }[]; made: string[] };

const recordPath = (gitDir: string): string => join(gitDir, "nightshift", "sandbox.json");

const readRecord = (gitDir: string): Record => {
  try {
    const { users, made } = JSON.parse(readFileIfThere(recordPath(gitDir)) ?? "") as Partial<Record>;
    return { users: Array.isArray(users) ? users : [], made: Array.isArray(made) ? made : [] };
  } catch {
    return { users: [], made: [] };
  }
};

/** It is held for the time of a few files; longer, its holder is suspended. */
const LONGEST_WAIT_MS = 60_000;

const changeRecord = async (gitDir: string, change: (record: Record) => Record): Promise<void> => {
  const path = join(gitDir, "nightshift", "sandbox.lock");
  const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
  const lock = await waitForLock(path, "files of a sandbox", { clock: systemClock, signal }).catch(
    (cause) => {
      throw new AppError("unavailable", `another sandbox is being opened in ${gitDir}; try again`, { cause });
    },
  );
  try {
    const { users, made } = change(readRecord(gitDir));
    if (users.length === 0) rmSync(recordPath(gitDir), { force: true });
    else writeFileDurably(recordPath(gitDir), `${JSON.stringify({ users, made })}\n`, { mode: 0o600 });
  } finally {
    lock.release();
  }
};

const removeMade = (gitDir: string, made: readonly string[]): void => {
  for (const [name, text] of PLACEHOLDERS)
    if (made.includes(name) && readFileIfThere(join(gitDir, name)) === text) rmSync(join(gitDir, name));
};

/**
 * Writes down, before they are made, which files of a repository a sandbox has to make. `remove` takes them away
 * again once no other sandbox is in it; what a killed process left is taken away by the next.
 * @throws AppError `unavailable` where somebody holds the record for a minute
 */
export const noteGitTraces = async (dir: string): Promise<{ remove: () => Promise<void> }> => {
  const id = randomUUID();
  const folders = listGitFolders(dir);
  for (const gitDir of folders)
    await changeRecord(gitDir, ({ users, made }) => {
      const missing = PLACEHOLDERS.map(([name]) => name).filter((name) => !existsSync(join(gitDir, name)));
      return { users: [...users, { id, who: ownIdentity() }], made: [...new Set([...made, ...missing])] };
    });
  return {
    remove: async () => {
      for (const gitDir of folders.filter((folder) => existsSync(folder)))
        await changeRecord(gitDir, ({ users, made }) => {
          const left = users.filter((user) => user.id !== id && judgeLife(user.who) !== "dead");
          if (left.length === 0) removeMade(gitDir, made);
          return { users: left, made };
        });
    },
  };
};
