import { AppError } from "../../../core/errors.ts";
import { createGit, type Git } from "../../../core/git.ts";
import { realFolder, workersHome } from "../../../core/paths.ts";
import { agoText, clockText } from "../../../core/people-time.ts";
import { plural } from "../../../core/plural.ts";
import { applyRescue, listRescues, showRescue } from "../../../worker/session/stored-rescues.ts";
import { resolveName } from "../../../worker/state/resolve-name.ts";
import { findState } from "../../../worker/state/worker-store.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { listing } from "../../command/table.ts";

/** A removed worker is nowhere on record: its name is taken as it was given. */
const fullName = (place: { home: string; cwd: string }, given: string): string => {
  try {
    return resolveName(place, given);
  } catch (error) {
    if (error instanceof AppError && error.code === "not-found") return given;
    throw error;
  }
};

/** A worker's whole name and repository: its own directory, else (a removed worker) the one named or the current one. */
const findRescuePlace = (
  { env, cwd }: CommandIo,
  { name: given }: { name: string },
  { dir }: { dir: string | undefined },
): { git: Git; name: string } => {
  const home = workersHome(env);
  const name = fullName({ home, cwd: dir === undefined ? cwd : realFolder(dir, cwd) }, given);
  const known = dir === undefined ? findState(home, name)?.dir : undefined;
  return { git: createGit(realFolder(dir ?? known ?? ".", cwd), env), name };
};

const NAME = { name: "name", description: "Name of the worker", complete: "worker" } as const;

const DIR = {
  dir: {
    type: "string",
    placeholder: "path",
    complete: "folder",
    description: "Repository to look in (default: the worker's directory; for a removed worker: here)",
  },
} as const;

const RESCUE_NUMBER = {
  name: "number",
  description: "Number of the rescue (default: the last one)",
  type: "integer",
  minimum: 1,
  isOptional: true,
} as const;

export const rescueList = defineCommand({
  args: [NAME],
  options: DIR,
  examples: ["worker rescue list docs"],
  run: async ({ args, options }, io) => {
    const { reporter } = io;
    const { git, name } = findRescuePlace(io, args, options);
    const rescues = await listRescues(git, name);
    reporter.json(rescues);
    if (rescues.length === 0)
      reporter.text(
        `nothing was rescued for worker ${name}; what a session leaves uncommitted is saved here when it ends`,
      );
    const now = Date.now();
    const rows = rescues.map(({ number, at, repository, paths, ref }) => [
      String(number),
      agoText(at, now),
      String(paths.length),
      repository === "" ? ref : `${ref} in ${repository}`,
    ]);
    for (const line of listing(reporter, ["N", "SAVED", "PATHS", "REF"], rows)) reporter.text(line);
    if (rows.length > 0)
      reporter.note(
        `look at one: worker rescue show ${name} <n>; bring it back: worker rescue apply ${name} <n>`,
      );
  },
});

export const rescueShow = defineCommand({
  args: [NAME, RESCUE_NUMBER],
  options: DIR,
  examples: ["worker rescue show docs", "worker rescue show docs 3"],
  run: async ({ args, options }, io) => {
    const { reporter } = io;
    const { git, name } = findRescuePlace(io, args, options);
    const rescues = await showRescue(git, name, args.number);
    reporter.json(rescues);
    for (const { ref, at, parent, repository, patch } of rescues) {
      reporter.text(reporter.style.bold(`${ref}${repository === "" ? "" : ` in ${repository}`}`));
      reporter.text(
        `saved ${clockText(at, Date.now())}, made on ${parent?.slice(0, 12) ?? "a branch without commits"}`,
      );
      reporter.verbatim(patch.trimEnd());
    }
  },
});

export const rescueApply = defineCommand({
  args: [NAME, RESCUE_NUMBER],
  options: DIR,
  examples: ["worker rescue apply docs 3"],
  run: async ({ args, options }, io) => {
    const { reporter } = io;
    const { git, name } = findRescuePlace(io, args, options);
    const applied = await applyRescue(git, name, args.number);
    reporter.answer(
      applied,
      applied.map(
        ({ ref, paths, repository }) =>
          `brought back ${plural(paths.length, "path")} of ${ref}${repository === "" ? "" : ` in ${repository}`}; the ref stays`,
      ),
    );
  },
});
