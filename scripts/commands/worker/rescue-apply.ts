import { plural } from "../../../core/plural.ts";
import { applyRescue } from "../../../worker/session/stored-rescues.ts";
import { defineCommand } from "../../command/define-command.ts";
import { RESCUE_DIR, RESCUE_NUMBER, findRescuePlace } from "./rescue-git.ts";

export const rescueApply = defineCommand({
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }, RESCUE_NUMBER],
  options: { dir: RESCUE_DIR },
  examples: ["worker rescue apply docs 3"],
  run: async ({ args, options }, io) => {
    const { reporter } = io;
    const { git, name } = findRescuePlace(io, { name: args.name, dir: options.dir });
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
