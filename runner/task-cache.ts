import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileDurably } from "../core/durable-file.ts";
import { readFileIfThere } from "../core/read-file.ts";
import { listByGlobs } from "../core/list-files.ts";
import { ownFolder } from "../core/own-folder.ts";
import type { Task } from "./load-tasks.ts";
import type { ArgValues } from "./task-args.ts";

/** @throws what node:fs throws for what has no content to hash: a link to a folder, a file that is not ours to read */
const hashFiles = (root: string, globs: readonly string[]): { hash: string; files: number } => {
  const files = listByGlobs(globs, root);
  const hash = createHash("sha256");
  for (const file of files)
    hash.update(
      `${file}\0${createHash("sha256")
        .update(readFileSync(join(root, file)))
        .digest("hex")}\0`,
    );
  return { hash: hash.digest("hex"), files: files.length };
};

const cachePath = (root: string, name: string): string =>
  join(root, ".nightshift", "tasks", `${encodeURIComponent(name)}.json`);

/**
 * What a task's result hangs on: its inputs, its own file, its arguments, the runtime. Undefined where it is
 * not cached: it declares no inputs, or not all of them can be read.
 */
export const hashTask = (task: Task, args: ArgValues, root: string): string | undefined => {
  if (!task.inputs || task.inputs.length === 0) return undefined;
  const own = readFileIfThere(join(root, task.file)) ?? "";
  try {
    return createHash("sha256")
      .update(JSON.stringify([task.name, hashFiles(root, task.inputs).hash, own, args, process.version]))
      .digest("hex");
  } catch {
    return undefined;
  }
};

/** Whether the task ran for exactly this, and what it wrote is still there as it wrote it. */
export const isFresh = (task: Task, hash: string, root: string): boolean => {
  const text = readFileIfThere(cachePath(root, task.name));
  if (text === undefined) return false;
  try {
    const kept = JSON.parse(text) as { hash?: string; outputs?: string };
    if (kept.hash !== hash) return false;
    if (!task.outputs || task.outputs.length === 0) return true;
    const outputs = hashFiles(root, task.outputs);
    return outputs.files > 0 && outputs.hash === kept.outputs;
  } catch {
    return false;
  }
};

/** @throws AppError `storage-full` or `unavailable` where it cannot be written down */
export const markFresh = (task: Task, hash: string, root: string): void => {
  ownFolder(root);
  const outputs = task.outputs ? hashFiles(root, task.outputs).hash : "";
  writeFileDurably(cachePath(root, task.name), JSON.stringify({ hash, outputs }));
};
