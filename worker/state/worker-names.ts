import { readdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemCode } from "../../core/errors.ts";

/** A worker's name; one whose plain name another directory has is called `<folder>/<name>`. */
export const shortName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** Files of the worker that a folder belongs to, beside the workers named after it. */
const NO_WORKER = /^(?:steerer|start-[0-9a-f-]{36})$/;

/** Folders and files that a worker's own folder has: no worker in it can be called that. */
export const TAKEN_NAMES: readonly string[] = ["handoffs", "control", "scratch", "steerer"];

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw new AppError("unavailable", `cannot read the workers' folder ${folder}: ${String(error)}`, {
      cause: error,
    });
  }
};

const statesIn = (entries: ReturnType<typeof entriesOf>): string[] =>
  entries
    .filter(({ name }) => name.endsWith(".json") && !name.startsWith("."))
    .map(({ name }) => name.slice(0, -".json".length));

/** The names of all workers whose state lies in a workers' home. @throws AppError `unavailable` */
export const listNames = (home: string): string[] => {
  const entries = entriesOf(home);
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  return [
    ...statesIn(entries),
    ...folders.flatMap(({ name: folder }) =>
      statesIn(entriesOf(join(home, folder)))
        .filter((name) => !NO_WORKER.test(name))
        .map((name) => `${folder}/${name}`),
    ),
  ].toSorted();
};
