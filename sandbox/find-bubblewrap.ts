import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { errorText } from "../core/errors.ts";
import { type Environment, isExecutable } from "../core/paths.ts";
import { ISOLATION } from "./bubblewrap.ts";

/** Bubblewrap as it is on this machine: a program that works, or why there is none. */
export type FoundBubblewrap = { program: string } | { problem: string };

/** In a work tree there may lie a program of the same name. */
const PLACES = ["/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin"];
const TRY_MS = 10_000;

/** What every session needs of it; one that cannot do all of this is as good as none. */
const TRIAL = [
  ...ISOLATION,
  ..."--ro-bind / / --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys".split(" "),
  ..."--size 65536 --tmpfs /tmp -- /bin/sh -c :".split(" "),
];

const HELP = "install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)";

const wordsOf = (error: unknown): string => {
  const { stderr } = error as { stderr?: Buffer };
  const said = stderr?.toString("utf8").trim().split("\n").at(-1);
  return said ? said.replace(/^bwrap: /, "") : errorText(error);
};

/** Looks for bubblewrap and tries it: that it is installed says little (containers and kernels forbid it). */
export const findBubblewrap = (env: Environment): FoundBubblewrap => {
  if (process.platform !== "linux") return { problem: `there is no bubblewrap on ${process.platform}` };
  const folders = [
    ...PLACES,
    ...(env["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/")),
  ];
  const program = folders.map((folder) => join(folder, "bwrap")).find(isExecutable);
  if (program === undefined) return { problem: `bubblewrap is not installed; ${HELP}` };
  try {
    execFileSync(program, TRIAL, {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: TRY_MS,
      env: { PATH: "/usr/bin:/bin" },
    });
    return { program };
  } catch (error) {
    return {
      problem: `bubblewrap does not work here: ${wordsOf(error)}; see what forbids user namespaces (sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, a container's own rules)`,
    };
  }
};
