import type { Entry, NamedCommand, Program } from "../scripts/command/define-command.ts";
import { isGroup, listCommands, loadCommand } from "../scripts/command/find-entry.ts";
import { argumentText, groupHelp, optionNotes, optionText, usageLine } from "../scripts/command/help.ts";
import { createStyle } from "../scripts/command/style.ts";
import { optionsOf } from "../scripts/command/parse-arguments.ts";

const HELP_COLUMNS = 80;

const cell = (text: string): string => text.replaceAll("|", "\\|");

const commandReference = (command: NamedCommand): string => {
  const lines = [`### ${command.name}`, "", `${command.summary}.`, "", "```", usageLine(command), "```", ""];
  if (command.description) lines.push(command.description, "");
  if (command.args.length > 0)
    lines.push(
      "| argument | meaning |",
      "|---|---|",
      ...command.args.map((spec) => `| \`${cell(argumentText(spec))}\` | ${cell(spec.description)} |`),
      "",
    );
  lines.push(
    "| option | meaning |",
    "|---|---|",
    ...[...optionsOf(command)].map(
      ([name, [, spec]]) => `| \`${cell(optionText(name, spec))}\` | ${cell(optionNotes(spec))} |`,
    ),
    "",
  );
  lines.push("```sh", ...command.examples, "```", "");
  return lines.join("\n");
};

/** docs/commands.md, whole: made from the declarations, so that it cannot say anything else than they do. */
export const renderReference = async (programs: readonly Program[]): Promise<string> => {
  const parts = [
    "# Commands",
    "",
    "Made from the commands' own declarations (`npm run docs:reference` writes it, a test compares it).",
    "Every command takes `--help`; exit codes are in [exit-codes.md](exit-codes.md).",
    "The other programs work through `nightshift`, too: `nightshift worker list`, `nightshift ctx size`,",
    "`nightshift steerer`, `nightshift search <pattern>`, `nightshift recall <text>`.",
    "",
  ];
  for (const program of programs) {
    parts.push(`## ${program.name}`, "");
    if (isGroup(program)) {
      const help = groupHelp({ name: program.name, group: program }, createStyle(false), HELP_COLUMNS);
      parts.push("```", help.trimEnd(), "```", "");
    }
    // A program within another one has a chapter of its own.
    const own = listCommands(program.name, program, (entry) =>
      (programs as readonly Entry[]).includes(entry),
    );
    for (const { name, entry } of own) parts.push(commandReference(await loadCommand(name, entry)));
  }
  return `${parts.join("\n").trimEnd()}\n`;
};
