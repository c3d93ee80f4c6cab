import { parseArgs } from "node:util";
import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import type { AnyCommand, ArgumentSpec, NamedCommand, OptionSpec } from "./define-command.ts";

export type RawInput = { args: Record<string, unknown>; options: Record<string, unknown> };

/** Options that every command has. */
export const COMMON_OPTIONS = {
  help: { type: "boolean", short: "h", description: "Show this help" },
  json: { type: "boolean", description: "Print JSON on stdout" },
} as const satisfies Record<string, OptionSpec>;

export const kebab = (name: string): string => {
  const lower = name.toLowerCase();
  return lower === name ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
};

/** The options of a command as they are typed, common ones included. */
export const optionsOf = (
  command: Pick<AnyCommand, "options" | "json">,
): Map<string, [string, OptionSpec]> => {
  const all: [string, OptionSpec][] = Object.entries({ ...command.options });
  all.push(["help", COMMON_OPTIONS.help]);
  if (command.json !== "none") all.push(["json", COMMON_OPTIONS.json]);
  return new Map(all.map(([key, spec]) => [kebab(key), [key, spec]]));
};

const readNumber = (
  text: string,
  spec: { type?: string; minimum?: number; maximum?: number },
): number | string => {
  const value = Number(text);
  const kind = spec.type === "integer" ? "a whole number" : "a number";
  if (text.trim() === "" || !Number.isFinite(value) || (spec.type === "integer" && !Number.isInteger(value)))
    return `${JSON.stringify(text)} is not ${kind}`;
  if (spec.minimum !== undefined && value < spec.minimum) return `${text} must be at least ${spec.minimum}`;
  if (spec.maximum !== undefined && value > spec.maximum) return `${text} must be at most ${spec.maximum}`;
  return value;
};

type Read = { value: unknown; problem?: undefined } | { problem: string };

const readWord = (text: string, spec: OptionSpec | ArgumentSpec): Read => {
  if (spec.type === "integer" || spec.type === "number") {
    const value = readNumber(text, spec);
    return typeof value === "number" ? { value } : { problem: value };
  }
  const choices = "choices" in spec ? spec.choices : undefined;
  if (!choices || choices.includes(text)) return { value: text };
  const near = nearestName(text, choices);
  const hint = near ? `; did you mean ${near}?` : "";
  return { problem: `${JSON.stringify(text)} is not one of ${choices.join(", ")}${hint}` };
};

type Words = { values: Map<string, string[]>; flags: Set<string>; positionals: string[] };

/** Splits the words into options and positionals by the declared options; `--` ends the options. */
const splitWords = (argv: readonly string[], command: AnyCommand, problems: string[]): Words => {
  const known = optionsOf(command);
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false, // the faults are named all at once, in our words
    tokens: true,
    options: Object.fromEntries(
      [...known].map(([name, [, { type, short }]]) => [
        name,
        { type: type === "boolean" ? "boolean" : "string", ...(short === undefined ? {} : { short }) },
      ]),
    ),
  });
  const words: Words = { values: new Map(), flags: new Set(), positionals: [] };
  let lastForeign = -1; // `-abc` is three tokens of one word
  for (const token of tokens) {
    if (token.kind === "positional") words.positionals.push(token.value);
    if (token.kind !== "option" || token.index === lastForeign) continue;
    const { name, value, index } = token;
    const word = argv[index] ?? "";
    const type = known.get(name)?.[1].type;
    // A task tells its own help, so behind its name `--help` belongs to it.
    const isPassed = command.passesUnknown === true && words.positionals.length > 0;
    if (type === undefined || /^-\d/.test(word) || (isPassed && name === "help")) {
      lastForeign = index;
      if (isPassed || /^-\d/.test(word)) words.positionals.push(word);
      else problems.push(unknownOption(word, [...known.keys()], command));
    } else if (type === "boolean") {
      words.flags.add(name);
      if (value !== undefined) problems.push(`--${name} takes no value`);
    } else if (value === undefined) problems.push(`--${name} needs a value`);
    else words.values.set(name, [...(words.values.get(name) ?? []), value]);
  }
  return words;
};

const unknownOption = (word: string, known: readonly string[], command: AnyCommand): string => {
  const flag = word.split("=")[0] ?? "";
  const near = nearestName(flag.replace(/^-+/, ""), known);
  const asText = command.args.length > 0 ? "; text that begins with a dash goes behind --" : "";
  return `unknown option ${flag}${near ? `; did you mean --${near}?` : asText}`;
};

/**
 * Reads the words after the command's name.
 * @throws AppError `usage` that lists every fault of the words at once
 */
export const parseArguments = (command: NamedCommand, argv: readonly string[]): RawInput => {
  const problems: string[] = [];
  const words = splitWords(argv, command, problems);
  const options: Record<string, unknown> = {};
  for (const [name, [key, spec]] of optionsOf(command)) {
    if (spec.type === "boolean") {
      options[key] = words.flags.has(name);
      continue;
    }
    const given = words.values.get(name) ?? [];
    const isRepeatable = spec.type === "string" && spec.repeatable === true;
    if (given.length > 1 && !isRepeatable) problems.push(`--${name} is given ${given.length} times`);
    const read = given.map((text) => readWord(text, spec));
    for (const { problem } of read) if (problem !== undefined) problems.push(`--${name}: ${problem}`);
    const values = read.flatMap((result) => ("value" in result ? [result.value] : []));
    options[key] = isRepeatable ? values : (values[0] ?? ("default" in spec ? spec.default : undefined));
  }
  const args = options["help"] === true ? {} : readPositionals(command, words.positionals, problems);
  if (problems.length > 0 && options["help"] !== true)
    throw new AppError("usage", `${problems.join("\n")}\nsee: ${command.name} --help`);
  return { args, options };
};

const readPositionals = (
  command: AnyCommand,
  words: readonly string[],
  problems: string[],
): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  let rest = [...words];
  for (const spec of command.args) {
    if (spec.isVariadic) {
      if (rest.length === 0 && !spec.isOptional)
        problems.push(`<${spec.name}> is missing: ${spec.description}`);
      values[spec.name] = rest;
      rest = [];
      continue;
    }
    const word = rest.shift();
    if (word === undefined) {
      if (!spec.isOptional) problems.push(`<${spec.name}> is missing: ${spec.description}`);
      continue;
    }
    const read = readWord(word, spec);
    if (read.problem === undefined) values[spec.name] = read.value;
    else problems.push(`<${spec.name}>: ${read.problem}`);
  }
  if (rest.length > 0)
    problems.push(`too many arguments: ${rest.map((word) => JSON.stringify(word)).join(" ")}`);
  return values;
};
