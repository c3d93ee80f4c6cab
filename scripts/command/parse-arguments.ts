import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import type { AnyCommand, ArgumentSpec, OptionSpec } from "./define-command.ts";

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

const usage = (message: string, command: AnyCommand): AppError =>
  new AppError("usage", `${message}\nsee: ${command.name} --help`);

const readNumber = (
  text: string,
  spec: { type?: string; minimum?: number; maximum?: number },
): number | string => {
  const value = Number(text);
  const kind = spec.type === "integer" ? "a whole number" : "a number";
  if (text.trim() === "" || !Number.isFinite(value) || (spec.type === "integer" && !Number.isInteger(value)))
    return `${JSON.stringify(text)} is not ${kind}`;
  if (spec.minimum !== undefined && value < spec.minimum)
    return `${text} is below the least, ${spec.minimum}`;
  if (spec.maximum !== undefined && value > spec.maximum) return `${text} is above the most, ${spec.maximum}`;
  return value;
};

const readOption = (text: string, spec: OptionSpec): { value: unknown } | { problem: string } => {
  if (spec.type === "integer" || spec.type === "number") {
    const value = readNumber(text, spec);
    return typeof value === "number" ? { value } : { problem: value };
  }
  if (spec.type === "string" && spec.choices && !spec.choices.includes(text))
    return { problem: `${JSON.stringify(text)} is not one of ${spec.choices.join(", ")}` };
  return { value: text };
};

type Tokens = { values: Map<string, string[]>; flags: Set<string>; positionals: string[] };

/** Splits the words into options and positionals by the declared options; `--` ends the options. */
const tokenize = (argv: readonly string[], command: AnyCommand): Tokens => {
  const known = optionsOf(command);
  const byShort = new Map([...known].flatMap(([name, [, spec]]) => (spec.short ? [[spec.short, name]] : [])));
  const tokens: Tokens = { values: new Map(), flags: new Set(), positionals: [] };
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--") {
      tokens.positionals.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-" || /^-\d/.test(word)) {
      tokens.positionals.push(word);
      continue;
    }
    const [flag, inline] = splitInline(word);
    const name = flag.startsWith("--") ? flag.slice(2) : byShort.get(flag.slice(1));
    const spec = name === undefined ? undefined : known.get(name)?.[1];
    const isBehindArgument = command.passesUnknown === true && tokens.positionals.length > 0;
    if (isBehindArgument && (!spec || name === "help")) {
      tokens.positionals.push(...argv.slice(index));
      break;
    }
    if (name === undefined || !spec) {
      const near = nearestName(flag.replace(/^-+/, ""), [...known.keys()]);
      const asText = command.args.length > 0 ? "; text that begins with a dash goes behind --" : "";
      throw usage(`unknown option ${flag}${near ? `; did you mean --${near}?` : asText}`, command);
    }
    if (spec.type === "boolean") {
      if (inline !== undefined) throw usage(`--${name} takes no value`, command);
      tokens.flags.add(name);
      continue;
    }
    const value = inline ?? argv[++index];
    if (value === undefined) throw usage(`--${name} needs a value`, command);
    tokens.values.set(name, [...(tokens.values.get(name) ?? []), value]);
  }
  return tokens;
};

const splitInline = (word: string): [string, string | undefined] => {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
};

/**
 * Reads the words after the command's name.
 * @throws AppError `usage` that lists every fault of the words at once
 */
export const parseArguments = (command: AnyCommand, argv: readonly string[]): RawInput => {
  const tokens = tokenize(argv, command);
  const problems: string[] = [];
  const options: Record<string, unknown> = {};
  for (const [name, [key, spec]] of optionsOf(command)) {
    if (spec.type === "boolean") {
      options[key] = tokens.flags.has(name);
      continue;
    }
    const given = tokens.values.get(name) ?? [];
    const isRepeatable = spec.type === "string" && spec.repeatable === true;
    if (given.length > 1 && !isRepeatable) problems.push(`--${name} is given ${given.length} times`);
    const read = given.map((text) => readOption(text, spec));
    for (const result of read) if ("problem" in result) problems.push(`--${name}: ${result.problem}`);
    const values = read.flatMap((result) => ("value" in result ? [result.value] : []));
    options[key] = isRepeatable ? values : (values[0] ?? ("default" in spec ? spec.default : undefined));
  }
  const args = options["help"] === true ? {} : readPositionals(command, tokens.positionals, problems);
  if (problems.length > 0 && options["help"] !== true) throw usage(problems.join("\n"), command);
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
    const read = readPositional(word, spec);
    if (read.problem === undefined) values[spec.name] = read.value;
    else problems.push(`<${spec.name}>: ${read.problem}`);
  }
  if (rest.length > 0)
    problems.push(`too many arguments: ${rest.map((word) => JSON.stringify(word)).join(" ")}`);
  return values;
};

const readPositional = (word: string, spec: ArgumentSpec): { value?: unknown; problem?: string } => {
  if (spec.type === "integer") {
    const value = readNumber(word, spec);
    return typeof value === "number" ? { value } : { problem: value };
  }
  if (spec.choices && !spec.choices.includes(word)) {
    const near = nearestName(word, spec.choices);
    return {
      problem: `${JSON.stringify(word)} is not one of ${spec.choices.join(", ")}${near ? `; did you mean ${near}?` : ""}`,
    };
  }
  return { value: word };
};
