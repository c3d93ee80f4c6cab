import { AppError, errorText } from "../../core/errors.ts";
import { EXIT } from "../../core/exit-codes.ts";
import { ERROR_CODES } from "../../core/error-codes.ts";
import { nearestName } from "../../core/nearest-name.ts";
import type { CommandGroup, CommandIo, Program } from "./define-command.ts";
import { findEntry, isGroup, listCommands, loadCommand } from "./find-entry.ts";
import { commandHelp, groupHelp } from "./help.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { Reporter } from "./reporter.ts";

type ProgramIo = Omit<CommandIo, "reporter"> & { createReporter: (isJson: boolean) => Reporter };

/** Runs a program to its exit code; the only place where a failure becomes words. */
export const runProgram = async (
  program: Program,
  argv: readonly string[],
  io: ProgramIo,
): Promise<number> => {
  const options = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const reporter = io.createReporter(options.includes("--json"));
  try {
    const { name, entry, words, isHelp } = findEntry(program, argv);
    if (isGroup(entry)) return showGroup({ name, group: entry, words, isHelp }, reporter);
    const command = await loadCommand(name, entry);
    const input = parseArguments(command, isHelp ? ["--help"] : words);
    if (input.options["help"] === true) {
      reporter.text(commandHelp(command, reporter.style, reporter.columns));
      return EXIT.yes;
    }
    // Inherited, not copied: reading `stdin` builds a stream, which a command that needs none need not wait for.
    const commandIo: CommandIo = Object.create(io, { reporter: { value: reporter, enumerable: true } });
    const answer = (await command.run(input as never, commandIo)) ?? true;
    return typeof answer === "number" ? answer : answer ? EXIT.yes : EXIT.no;
  } catch (error) {
    return reportFailure(error, reporter, io);
  }
};

type Called = { name: string; group: CommandGroup; words: readonly string[]; isHelp: boolean };

/** `nightshift`, `nightshift memory`, `nightshift memory --help`: no command was named. */
const showGroup = ({ name, group, words: [word], isHelp }: Called, reporter: Reporter): number => {
  if (word !== undefined && !["--help", "-h"].includes(word)) throw unknownCommand(name, group, word);
  const help = groupHelp({ name, group }, reporter.style, reporter.columns);
  if (word !== undefined || isHelp) {
    reporter.text(help);
    return EXIT.yes;
  }
  reporter.note(help);
  return ERROR_CODES.usage.exit;
};

const unknownCommand = (name: string, group: CommandGroup, word: string): AppError => {
  const near = nearestName(word, [...Object.keys(group.commands), "help"]);
  // `nightshift stop`: the word is a command's, but of a group further in.
  const inner = listCommands(name, group).filter((command) => command.name.endsWith(` ${word}`));
  const meant =
    inner.length > 0 ? inner.map((command) => command.name).slice(0, 4) : near ? [`${name} ${near}`] : [];
  const hint = meant.length > 0 ? `did you mean: ${meant.join(", or: ")}?` : `see: ${name} --help`;
  return new AppError("usage", `unknown command ${JSON.stringify(`${name} ${word}`)}; ${hint}`);
};

const reportFailure = (error: unknown, reporter: Reporter, io: ProgramIo): number => {
  if (error instanceof AppError) {
    const { code, message, faults, details } = error;
    reporter.json({ error: message, code, ...(faults.length > 0 ? { errors: faults } : {}), ...details });
    reporter.note(`${reporter.style.red("error:")} ${message}`);
    return ERROR_CODES[code].exit;
  }
  if (io.signal.aborted) return EXIT.interrupted;
  reporter.json({ error: "internal error", code: "internal" });
  reporter.note(`${reporter.style.red("internal error:")} ${errorText(error)}`);
  const stack = error instanceof Error ? error.stack : undefined;
  reporter.note(io.env["NIGHTSHIFT_DEBUG"] ? (stack ?? "") : "this is a bug; NIGHTSHIFT_DEBUG=1 shows where");
  return EXIT.internal;
};
