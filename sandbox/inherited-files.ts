import { closeSync, readFileSync, readdirSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes files that this process was given by whoever started it and would pass on to everything it starts. Node
 * keeps only the low ones to itself; whatever it opens on its own closes by itself.
 */
export const closeInheritedFiles = (): void => {
  if (process.platform !== "linux" || process.versions["bun"] !== undefined) return;
  for (const name of readdirSync("/proc/self/fd")) {
    const file = Number(name);
    if (file <= 2) continue;
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "latin1"))?.[1] ?? "";
      if ((Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0) closeSync(file);
    } catch {
      // The one that listed them is gone by now.
    }
  }
};
