import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join, relative } from "node:path";
import { isWithin } from "../../core/is-within.ts";

type Place = { top: string; tree: string; folder: string };

/**
 * What gates are given in a room. PATH leads to no folder that the agent may have written: those of the project
 * become those of the room, and what depends on the working directory is left out. Python writes no compiled files
 * beside its sources; where packages lie in the project, it reads none from there either.
 */
export const roomEnv = (
  env: Readonly<Record<string, string | undefined>>,
  { top, tree, folder }: Place,
): Record<string, string> => {
  const known = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const path = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((part) => isAbsolute(part))
    .map((part) => (isWithin(part, top) ? join(tree, relative(top, part)) : part));
  return {
    ...Object.fromEntries(known),
    PATH: path.join(delimiter),
    PWD: tree,
    // With a folder of its own Python compiles all that it loads once more, its library too: half of a short run.
    ...(VENVS.some((name) => existsSync(join(top, name)))
      ? { PYTHONPYCACHEPREFIX: join(folder, "pycache") }
      : { PYTHONDONTWRITEBYTECODE: "1" }),
  };
};

/** Compiled files in there are not looked at, and may have been changed. */
const VENVS = [".venv", "venv"];
