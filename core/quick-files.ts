import { libcFiles } from "./libc-files.ts";
import type { QuickFiles } from "./looks.ts";
import { nodeFiles } from "./node-files.ts";

const choose = (): QuickFiles => {
  // Not process.versions: on Bun that takes longer to make than reading a file.
  if (!("Bun" in globalThis) || process.platform !== "linux") return nodeFiles();
  try {
    return libcFiles();
  } catch {
    return nodeFiles(); // another C library (musl)
  }
};

let chosen: QuickFiles | undefined;

/** The way of this process, found once. */
export const quickFiles = (): QuickFiles => (chosen ??= choose());
