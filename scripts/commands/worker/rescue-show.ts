import { clockText } from "../../../core/people-time.ts";
import { showRescue } from "../../../worker/session/stored-rescues.ts";
import { defineCommand } from "../../command/define-command.ts";
import { RESCUE_DIR, RESCUE_NUMBER, findRescuePlace } from "./rescue-git.ts";

export const rescueShow = defineCommand({
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }, RESCUE_NUMBER],
  options: { dir: RESCUE_DIR },
  examples: ["worker rescue show docs", "worker rescue show docs 3"],
  run: async ({ args, options }, io) => {
    const { reporter } = io;
    const { git, name } = findRescuePlace(io, { name: args.name, dir: options.dir });
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
