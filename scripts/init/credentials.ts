import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../agents/index.ts";

/** The name of the variable or file that holds an agent's credentials; undefined when there is none. */
export const findCredentials = (
  { credentials }: Agent,
  { env, home }: { env: Readonly<Record<string, string | undefined>>; home: string },
): string | undefined => {
  const variable = credentials?.variables.find((name) => Boolean(env[name]));
  const file = credentials?.files.find((path) => existsSync(join(home, path)));
  return variable ?? (file === undefined ? undefined : `~/${file}`);
};
