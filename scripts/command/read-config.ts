import { type CodeDecision } from "../../core/config/code-decision.ts";
import { type LoadedConfig, loadConfig } from "../../core/config/load-config.ts";
import type { UntrustedFile } from "../../core/config/trust-record.ts";
import { ask } from "./ask.ts";
import type { CommandIo } from "./define-command.ts";
import { codeChangeLines } from "./code-change.ts";

/** The decision of a command that only reads: code that nobody trusted is left out, and that is said once. */
export const readingOnly = ({
  env,
  note,
}: {
  env: CommandIo["env"];
  note: (line: string) => void;
}): CodeDecision => {
  let isSaid = false;
  return {
    by: "reading",
    env,
    note: (line) => {
      if (!isSaid) note(line);
      isSaid = true;
    },
  };
};

/** The config for a command that only reads. */
export const readConfig = ({ cwd, env, reporter }: CommandIo): Promise<LoadedConfig> =>
  loadConfig(cwd, readingOnly({ env, note: reporter.note }));

/** Shows what would run, and asks in a terminal. */
export const askForTrust =
  (io: CommandIo) =>
  async (files: readonly UntrustedFile[]): Promise<boolean> => {
    if (!io.stdin.isTTY || io.reporter.isJson) return false;
    for (const line of files.flatMap((file) => codeChangeLines(file, io.reporter.style)))
      io.reporter.note(line);
    return ask("This code runs with your rights, outside of any sandbox. Trust it?", io);
  };

/** The config for whatever goes on unattended: code must be trusted. */
export const loadTrustedConfig = (io: CommandIo, folder: string = io.cwd): Promise<LoadedConfig> =>
  loadConfig(folder, { by: "record", env: io.env, ask: askForTrust(io) });
