import type { AnyCommand, Program } from "./define-command.ts";
import { argumentText, optionNotes, optionText, usageLine } from "./help.ts";
import { optionsOf } from "./parse-arguments.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

const commandReference = (command: AnyCommand): string => {
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
  if (command.examples?.length) lines.push("```sh", ...command.examples, "```", "");
  return lines.join("\n");
};

/** docs/commands.md, whole: made from the declarations, so that it cannot say anything else than they do. */
export const renderReference = async (programs: readonly Program[]): Promise<string> => {
  const parts = [
    "# Commands",
    "",
    "Made from the commands' own declarations (`npm run docs:commands` writes it, a test compares it).",
    "Every command takes `--help`; exit codes are in [exit-codes.md](exit-codes.md).",
    "",
  ];
  for (const program of programs) {
    parts.push(`## ${program.name}`, "", program.summary, "");
    if (program.main) parts.push(commandReference(await program.main()));
    for (const entry of Object.values(program.commands)) parts.push(commandReference(await entry.load()));
  }
  return `${parts.join("\n").trimEnd()}\n`;
};
