import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInSession, type Scripts } from "../../../core/config/code-decision.ts";
import { isCode } from "../../../core/config/code-files.ts";
import { findConfigFile, findProjectRoot } from "../../../core/config/find-config.ts";
import { loadConfig } from "../../../core/config/load-config.ts";
import { listTrust, listUntrusted, recordTrust, revokeTrust } from "../../../core/config/trust-record.ts";
import { AppError } from "../../../core/errors.ts";
import { listTaskFiles } from "../../../runner/load-tasks.ts";
import { ask } from "../../command/ask.ts";
import { codeChangeLines } from "../../command/code-change.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { TASK_GLOB } from "../../command/read-tasks.ts";
import { table } from "../../command/table.ts";

const showList = ({ env, reporter }: CommandIo): void => {
  const records = listTrust(env).map(({ project, trustedAt, files }) => ({
    project,
    trustedAt,
    files: Object.keys(files).sort(),
  }));
  const rows = records.map(({ project, trustedAt, files }) => [
    trustedAt.slice(0, 16).replace("T", " "),
    project,
    files.join(", "),
  ]);
  reporter.answer(records, rows.length === 0 ? ["nothing is trusted yet"] : table(rows, reporter.columns));
};

/** Shows what is new or changed, asks, and writes it down; what is trusted already is not asked about again. */
const agreeTo = async (scripts: Scripts, isAgreed: boolean, io: CommandIo): Promise<string[]> => {
  const { env, reporter } = io;
  const files = listUntrusted(env, scripts);
  if (files.length === 0) return [];
  for (const line of files.flatMap((file) => codeChangeLines(file, reporter.style))) reporter.note(line);
  if (!isAgreed) {
    if (!io.stdin.isTTY)
      throw new AppError(
        "usage",
        "trust asks, and there is no terminal; look at the code above and pass --yes",
      );
    if (!(await ask("This code runs with your rights, outside of any sandbox. Trust it?", io)))
      throw new AppError("interrupted", "nothing was trusted");
  }
  recordTrust(env, scripts);
  return files.map(({ file }) => file);
};

export const trust = defineCommand({
  description:
    "A config in TypeScript or JavaScript, and a task script, are programs. What goes on unattended runs only those that were trusted, with the files that they import; a change asks again. Nothing of it is kept in the project. See docs/security.md.",
  args: [
    { name: "path", description: "the project (the current one)", isOptional: true, complete: "folder" },
  ],
  options: {
    yes: { type: "boolean", short: "y", description: "ask nothing: you have read the code" },
    revoke: { type: "boolean", description: "withdraw the decision" },
    list: { type: "boolean", description: "show every project that is trusted" },
  },
  examples: ["nightshift trust", "nightshift trust ~/work/app --yes", "nightshift trust --revoke"],
  run: async ({ args, options }, io) => {
    const { env, cwd, reporter } = io;
    if (options.list) return showList(io);
    const path = resolve(cwd, args.path ?? ".");
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) throw new AppError("not-found", `there is no folder ${path}`);
    const folder = stat.isDirectory() ? path : dirname(path);
    const root = findProjectRoot(folder);
    if (options.revoke) {
      const isRevoked = revokeTrust(env, root);
      reporter.answer(
        { root, revoked: isRevoked },
        isRevoked ? `${root} is no longer trusted` : `${root} was not trusted`,
      );
      return;
    }
    if (isInSession(env))
      throw new AppError(
        "forbidden",
        "a worker's session cannot trust code; a person must do it outside the session",
      );
    const config = findConfigFile(folder);
    const agreed = config === undefined ? [] : await agreeTo({ root, entries: [config] }, options.yes, io);
    const loaded = await loadConfig(folder, { by: "record", env });
    const scripts = listTaskFiles(loaded.root, loaded.config.tasks ?? TASK_GLOB).filter(isCode);
    agreed.push(
      ...(await agreeTo({ root, entries: scripts.map((file) => join(loaded.root, file)) }, options.yes, io)),
    );
    reporter.answer(
      { root, trusted: agreed },
      agreed.length > 0
        ? `trusted in ${root}: ${agreed.join(", ")}`
        : `nothing to decide in ${root}: no code there, or all of it is trusted already`,
    );
  },
});
