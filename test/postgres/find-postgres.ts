import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const DEBIAN = "/usr/lib/postgresql";

const debianFolders = (): string[] =>
  existsSync(DEBIAN)
    ? readdirSync(DEBIAN)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(DEBIAN, version, "bin"))
    : [];

/** The folder of PostgreSQL's server programs: `POSTGRES_BIN`, Debian's newest, else the first on PATH. */
export const findPostgres = (env: NodeJS.ProcessEnv = process.env): string | undefined => {
  // A folder somebody set and that is wrong must fail loudly, not skip the tests.
  if (env["POSTGRES_BIN"]) return env["POSTGRES_BIN"];
  const onPath = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...debianFolders(), ...onPath].find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
};

/** For `describe.skipIf(!hasPostgres)`: the tests are then named among the skipped ones. */
export const hasPostgres: boolean = findPostgres() !== undefined;

/** As in "postgres (PostgreSQL) 15.8 (Debian ...)". */
export const postgresVersion = (folder: string): string =>
  execFileSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" }).trim();

export type SystemUser = { uid: number; gid: number };

/** PostgreSQL refuses to run as root: who runs it then. Undefined: whoever runs the tests. */
export const serverUser = (): SystemUser | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = users.find(([user]) => user === name) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as");
};

/** A command as the server's user runs it. */
export const asServerUser = (command: string, args: readonly string[]): [string, string[]] => {
  const user = serverUser();
  if (!user) return [command, [...args]];
  return [
    "setpriv",
    [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--", command, ...args],
  ];
};
