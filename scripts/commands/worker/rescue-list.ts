import { listRescues } from "../../../worker/session/stored-rescues.ts";
import { defineCommand } from "../../command/define-command.ts";
import { listing } from "../../command/table.ts";
import { RESCUE_DIR, findRescuePlace } from "./rescue-git.ts";
import { agoText } from "../../../core/people-time.ts";

export const rescueList = defineCommand({
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: { dir: RESCUE_DIR },
  examples: ["worker rescue list docs"],
  run: async ({ args, options }, io) => {
    const { reporter } = io;
    const { git, name } = findRescuePlace(io, { name: args.name, dir: options.dir });
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
