import { docsPage } from "../../core/version.ts";
import type { ArgumentSpec, CommandGroup, NamedCommand, OptionSpec } from "./define-command.ts";
import { optionsOf } from "./parse-arguments.ts";
import type { Style } from "./style.ts";
import { hang, wrapWords } from "./wrap-words.ts";

export const argumentText = (spec: ArgumentSpec): string => {
  const name = spec.isVariadic ? `<${spec.name}>...` : `<${spec.name}>`;
  return spec.isOptional ? `[${name}]` : name;
};

export const optionText = (name: string, spec: OptionSpec): string =>
  `${spec.short ? `-${spec.short}, ` : ""}--${name}${spec.type === "boolean" ? "" : ` <${spec.placeholder ?? (spec.type === "string" ? "text" : "n")}>`}`;

export const optionNotes = (spec: OptionSpec): string => {
  const notes: string[] = [];
  if (spec.type === "string" && spec.choices) notes.push(`one of ${spec.choices.join(", ")}`);
  if (spec.type === "string" && spec.repeatable) notes.push("may be repeated");
  if ("default" in spec && spec.default !== undefined) notes.push(`default ${spec.default}`);
  return notes.length > 0 ? `${spec.description} (${notes.join("; ")})` : spec.description;
};

/** One line that shows how a command is called. */
export const usageLine = (command: NamedCommand): string =>
  [command.name, ...command.args.map(argumentText), "[options]"].join(" ");

/** Pages of the docs by where they lie on this machine. */
const withPages = (text: string): string =>
  text.replace(/\bdocs\/([\w-]+\.md)\b/g, (_, page: string) => docsPage(page));

/** The help page of a command. */
export const commandHelp = (command: NamedCommand, style: Style, columns: number): string => {
  const parts = [`${fold(command.summary, columns)}\n`, `${style.bold("Usage")}\n  ${usageLine(command)}\n`];
  if (command.description) parts.push(`${fold(withPages(command.description), columns)}\n`);
  if (command.args.length > 0)
    parts.push(
      section(
        "Arguments",
        command.args.map((spec) => [argumentText(spec), spec.description]),
        style,
        columns,
      ),
    );
  const options = [...optionsOf(command)].map(([name, [, spec]]) => [
    optionText(name, spec),
    optionNotes(spec),
  ]);
  parts.push(section("Options", options, style, columns));
  parts.push(`${style.bold("Examples")}\n${command.examples.map((line) => `  ${line}`).join("\n")}\n`);
  return parts.join("\n");
};

/** The help page of commands under one word; a group in it is one line. */
export const groupHelp = (
  { name, group }: { name: string; group: CommandGroup },
  style: Style,
  columns: number,
): string => {
  const { summary, commands, sections = { Commands: Object.keys(commands) } } = group;
  const left = Math.max(...Object.keys(commands).map((word) => word.length));
  return [
    `${fold(`${summary}.`, columns)}\n`,
    `${style.bold("Usage")}\n  ${name} <command> [options]\n`,
    ...Object.entries(sections).map(([title, words]) =>
      section(
        title,
        words.map((word) => [word.padEnd(left), commands[word]?.summary ?? ""]),
        style,
        columns,
      ),
    ),
    `See: ${name} help <command>\n`,
  ].join("\n");
};

const fold = (text: string, columns: number): string => wrapWords(text, Math.min(columns, 100)).join("\n");

const section = (title: string, rows: readonly string[][], style: Style, columns: number): string => {
  const left = Math.max(...rows.map(([name = ""]) => name.length));
  const lines = rows.flatMap(([name = "", text = ""]) =>
    hang(`  ${name.padEnd(left)}  `, text, Math.min(columns, 100)),
  );
  return `${style.bold(title)}\n${lines.join("\n")}\n`;
};
