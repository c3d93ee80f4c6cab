import { existsSync, readdirSync, rmSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../../core/errors.ts";
import { type WorkerFiles, workerFiles } from "./worker-files.ts";

const ROTATED = ["", ".1", ".2", ".3"];

/** Workers of a folder with this worker's name lie in its folder, too: they stay. */
const removeFolder = (files: WorkerFiles): void => {
  const { folder, handoffs, control, scratch, telling, receipts, seal } = files;
  for (const path of [handoffs, control, scratch, telling, receipts, dirname(seal)])
    rmSync(path, { recursive: true, force: true });
  const own = /^(?:supervisor\.lock.*|steerer\.json|heartbeat|start-[0-9a-f-]{36}\.json|\..*\.tmp)$/;
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (own.test(name)) rmSync(join(folder, name), { force: true });
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY"].includes(systemCode(error) ?? "")) throw error;
  }
};

/** Removes everything that is written down of a worker: log, events, handoffs, and its state last. */
export const removeWorkerFiles = (home: string, name: string): void => {
  const files = workerFiles(home, name);
  for (const path of [files.log, files.events].flatMap((file) => ROTATED.map((ending) => file + ending)))
    rmSync(path, { force: true });
  removeFolder(files);
  rmSync(files.state, { force: true }); // last: until here the worker is still listed
};
