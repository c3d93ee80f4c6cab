import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { writeFileDurably } from "../../core/durable-file.ts";
import type { Git } from "../../core/git.ts";
import type { Environment } from "../../core/paths.ts";
import { sealStatement, writeEnvelope } from "./envelope.ts";
import { ownKey } from "./keys.ts";
import type { Statement } from "./statement.ts";

export const NOTES = "refs/notes/nightshift";

/** Who commits what Nightshift itself keeps in a repository. */
export const AUTHOR = {
  GIT_AUTHOR_NAME: "Nightshift",
  GIT_AUTHOR_EMAIL: "nightshift@localhost",
  GIT_COMMITTER_NAME: "Nightshift",
  GIT_COMMITTER_EMAIL: "nightshift@localhost",
};

/** The next free file of a folder of receipts: `001.json`, `002.json`, … */
const nextFile = (folder: string): string => {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const numbers = names.map((name) => Number(/^(\d+)\.json$/.exec(name)?.[1] ?? 0));
  return join(folder, `${String(Math.max(0, ...numbers) + 1).padStart(3, "0")}.json`);
};

/** Signs what a verdict found out, and writes it whole or not at all; answers with the file. */
export const writeReceipt = (
  env: Environment,
  folder: string,
  statement: Statement,
): { path: string; text: string } => {
  const text = writeEnvelope(sealStatement(ownKey(env), statement));
  const path = nextFile(folder);
  writeFileDurably(path, `${text}\n`, { mode: 0o600 });
  return { path, text };
};

/** Puts a receipt to its commit as a note, with a line for people; the newest one counts. */
export const noteReceipt = async (
  git: Git,
  { commit, line, text }: { commit: string; line: string; text: string },
): Promise<void> => {
  await git.run(["notes", `--ref=${NOTES}`, "add", "--force", "--file=-", commit], {
    input: `${line}\n\n${text}\n`,
    env: AUTHOR,
  });
};

/** The receipt in the note of a commit. */
export const findNote = async (git: Git, commit: string): Promise<string | undefined> => {
  const note = await git.find(["notes", `--ref=${NOTES}`, "show", commit]);
  return note?.split("\n").findLast((line) => line.startsWith("{"));
};
