import { join } from "node:path";
import { databaseStamp } from "../files.ts";
import type { DatabaseFile, StorePorts } from "../store.ts";

/** `NIGHTSHIFT_SHELLEY_DB` (what Shelley was started with as `-db`), else its usual place. */
export const listShelleyDatabases = ({ env, home }: StorePorts): DatabaseFile[] => {
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const path = env["NIGHTSHIFT_SHELLEY_DB"] || join(config, "shelley", "shelley.db");
  const stamp = databaseStamp(path);
  return stamp === undefined ? [] : [{ agent: "shelley", path, stamp }];
};
