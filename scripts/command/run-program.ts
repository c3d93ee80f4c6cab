import { AppError, errorText } from "../../core/errors.ts";
import { EXIT } from "../../core/exit-codes.ts";
import { ERROR_CODES } from "../../core/error-codes.ts";
import { nearestName } from "../../core/nearest-name.ts";
import type { AnyCommand, CommandIo, Program } from "./define-command.ts";
import { commandHelp, programHelp } from "./help.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { Reporter } from "./reporter.ts";

type ProgramIo = Omit<CommandIo, "reporter"> & { createReporter: (isJson: boolean) => Reporter };

type Found = { command: AnyCommand; words: readonly string[] };

/** The command that the words name: the longest name wins, so `rescue list` is found before `rescue`. */
const findCommand = async (program: Program, argv: readonly string[]): Promise<Found | undefined> => {
  for (const length of [2, 1]) {
    const name = argv.slice(0, length).join(" ");
    const entry =
      argv.length >= length && Object.hasOwn(program.commands, name) ? program.commands[name] : undefined;
    if (entry) return { command: await entry.load(), words: argv.slice(length) };
  }
  return program.main ? { command: await program.main(), words: argv } : undefined;
};

const unknownCommand = (program: Program, argv: readonly string[]): AppError => {
  const isGrouped = Object.keys(program.commands).some((name) => name.startsWith(`${argv[0] ?? ""} `));
  const word = argv.slice(0, isGrouped ? 2 : 1).join(" ");
  const near = nearestName(word, Object.keys(program.commands));
  const hint = near ? `did you mean: ${program.name} ${near}?` : `see: ${program.name} --help`;
  return new AppError("usage", `unknown command ${JSON.stringify(word)}; ${hint}`);
};

/** Runs a program to its exit code; the only place where a failure becomes words. */
export const runProgram = async (
  program: Program,
  argv: readonly string[],
  io: ProgramIo,
): Promise<number> => {
  const options = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const reporter = io.createReporter(options.includes("--json"));
  try {
    const found = await findCommand(program, argv);
    if (!found) return showProgram(program, argv, reporter);
    const input = parseArguments(found.command, found.words);
    if (input.options["help"] === true) {
      reporter.text(commandHelp(found.command, reporter.style, reporter.columns));
      return EXIT.yes;
    }
    // Inherited, not copied: reading `stdin` builds a stream, which a command that needs none need not wait for.
    const commandIo: CommandIo = Object.create(io, { reporter: { value: reporter, enumerable: true } });
    return await found.command.run(input as never, commandIo);
  } catch (error) {
    return reportFailure(error, reporter, io);
  }
};

/** `nightshift memory` alone: the commands of that group. */
const groupOf = (program: Program, word: string): Program | undefined => {
  const entries = Object.entries(program.commands).filter(([name]) => name.startsWith(`${word} `));
  return entries.length > 0
    ? {
        name: program.name,
        summary: `${program.name} ${word}: ${entries.length} commands.`,
        commands: Object.fromEntries(entries),
      }
    : undefined;
};

const showProgram = (whole: Program, argv: readonly string[], reporter: Reporter): number => {
  const group = groupOf(whole, argv[0] ?? "");
  const program = group ?? whole;
  const word = group ? argv[1] : argv[0];
  if (word !== undefined && !["--help", "-h", "help"].includes(word)) throw unknownCommand(program, argv);
  const help = programHelp(program, reporter.style, reporter.columns);
  if (word === undefined) {
    reporter.note(help);
    return ERROR_CODES.usage.exit;
  }
  reporter.text(help);
  return EXIT.yes;
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
