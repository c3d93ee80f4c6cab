import { join } from "node:path";

/** Where a user's channels stand; `home` is `~/.nightshift`. Apart from what reads it: a supervisor only looks whether it is there. */
export const notifyFile = (home: string): string => join(home, "notify.json");
