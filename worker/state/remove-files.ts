import { rmSync } from "node:fs";
import { workerFiles } from "./worker-files.ts";

const ROTATED = ["", ".1", ".2", ".3"];

/** Removes everything that is written down of a worker: log, events, handoffs, and its state last. */
export const removeWorkerFiles = (home: string, name: string): void => {
  const files = workerFiles(home, name);
  for (const path of [files.log, files.events].flatMap((file) => ROTATED.map((ending) => file + ending)))
    rmSync(path, { force: true });
  rmSync(files.folder, { recursive: true, force: true });
  rmSync(files.state, { force: true }); // last: until here the worker is still listed
};
