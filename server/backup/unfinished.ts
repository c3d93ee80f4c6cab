import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Beginnings of the folders in which a backup or a restore is under way. */
export const UNDER_WAY = { backup: ".backup-", restore: ".restore-" };

/** Removes what a process that was killed meanwhile left in a data folder; whoever calls has the folder's lock. */
export const removeUnfinished = (home: string): void => {
  for (const name of readdirSync(home))
    if (Object.values(UNDER_WAY).some((beginning) => name.startsWith(beginning)))
      rmSync(join(home, name), { recursive: true, force: true });
};
