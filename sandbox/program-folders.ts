import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import type { Environment } from "../core/paths.ts";

/** A program of a package needs the packages beside it. */
const packageOf = (program: string): string => {
  const at = program.lastIndexOf("/node_modules/");
  return at === -1
    ? dirname(program)
    : program.slice(0, program.indexOf("/node_modules/") + "/node_modules".length);
};

const orNothing = <T>(read: () => T): T[] => {
  try {
    return [read()];
  } catch {
    return []; // not there, or not ours to read
  }
};

/** The folders that programs are started from: those of PATH, and those of `programs` with their packages. */
export const listProgramFolders = ({
  env,
  programs,
}: {
  env: Environment;
  programs: readonly string[];
}): string[] =>
  [
    ...(env["PATH"] ?? "").split(delimiter),
    ...programs,
    ...programs.map((program) => packageOf(orNothing(() => realpathSync(program))[0] ?? program)),
  ].flatMap((path) => orNothing(() => realpathSync(path)));

/** What of a program may be shown for it to run, best first: its package or folder, else itself alone. */
export type Linked = readonly string[];

/** Where the links in a folder of programs lead: a package manager puts nothing else into one. */
export const followLinks = (folder: string): Linked[] =>
  orNothing(() => readdirSync(folder, { withFileTypes: true }))
    .flat()
    .filter((entry) => entry.isSymbolicLink())
    .flatMap(({ name }) => {
      const link = join(folder, name);
      const first = orNothing(() => resolve(folder, readlinkSync(link)));
      return [...first, ...orNothing(() => realpathSync(link))].map((program) => [
        packageOf(program),
        program,
      ]);
    });
