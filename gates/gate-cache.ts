import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { writeFileDurably } from "../core/durable-file.ts";
import { type Environment, nightshiftHome } from "../core/paths.ts";
import { readFileIfThere } from "../core/read-file.ts";
import type { CheckAnswer, Gate } from "./gate.ts";

const FORMAT = 1;

/** Undefined for what has no content to hash: a link to a folder, a file that is not ours to read or just went. */
const readIfFile = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
};

/**
 * Hash of a gate's definition and of the content of every file that it looks at. Time plays no part.
 * Undefined where not all of it can be read: an answer about unknown content is not kept.
 */
export const hashInputs = (gate: Gate, files: readonly string[], root: string): string | undefined => {
  if (gate.cacheKey === undefined || files.length === 0) return undefined;
  const hash = createHash("sha256").update(`${FORMAT}\0${gate.cacheKey}\0${process.version}\0`);
  for (const file of files) {
    const content = readIfFile(join(root, file));
    if (content === undefined) return undefined;
    hash.update(`${file}\0${createHash("sha256").update(content).digest("hex")}\0`);
  }
  return hash.digest("hex");
};

/** Whose answers these are: the user that runs the gates, and the project. */
export type AnswerShelf = { env: Environment; root: string };

/**
 * The answers of a project, by its real path. They lie with the user and not in the project: a repository could
 * bring along an answer for exactly its own content that says all is well.
 */
const cachePath = ({ env, root }: AnswerShelf, id: string): string =>
  join(nightshiftHome(env), "cache", "gates", realpathSync(root), `${encodeURIComponent(id)}.json`);

/** The answer that was given for exactly these inputs. */
export const readCachedAnswer = (shelf: AnswerShelf, id: string, hash: string): CheckAnswer | undefined => {
  try {
    const text = readFileIfThere(cachePath(shelf, id));
    if (text === undefined) return undefined;
    const cached = JSON.parse(text) as { hash?: string; answer?: CheckAnswer };
    return cached.hash === hash ? cached.answer : undefined;
  } catch {
    return undefined; // half of a file, or a folder that is none: the gate runs
  }
};

/** Keeps an answer. Only what a check said counts: a run that was cut short, or never began, is not kept. */
export const writeCachedAnswer = (
  shelf: AnswerShelf,
  { id, hash, answer }: { id: string; hash: string; answer: CheckAnswer },
): void => {
  if (answer.result === "none") return;
  try {
    writeFileDurably(cachePath(shelf, id), JSON.stringify({ hash, answer }));
  } catch {
    // a home that is not ours to write in: the answer stands, and the gate runs again the next time
  }
};
