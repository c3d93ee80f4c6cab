import type { Reporter } from "./reporter.ts";

/** What completion may offer for an argument or an option besides its `choices`. */
export type Completer = "worker" | "declared-worker" | "agent" | "gate" | "task" | "site" | "file" | "folder";

type OptionBase = {
  description: string;
  /** one letter: `-n` */
  short?: string;
  /** what stands for the value in help: `<lines>` */
  placeholder?: string;
  complete?: Completer;
};

/** One `--option`, as data: parsing, help, completion and the reference page come from it. */
export type OptionSpec =
  | (OptionBase & { type: "boolean" })
  | (OptionBase & { type: "string"; choices?: readonly string[]; repeatable?: boolean; default?: string })
  | (OptionBase & { type: "integer" | "number"; minimum?: number; maximum?: number; default?: number });

/** One positional argument. A variadic one comes last and takes the rest. */
export type ArgumentSpec = {
  name: string;
  description: string;
  isOptional?: boolean;
  isVariadic?: boolean;
  type?: "string" | "integer";
  minimum?: number;
  choices?: readonly string[];
  complete?: Completer;
};

type OptionValue<S extends OptionSpec> = S extends { type: "boolean" }
  ? boolean
  : S extends { type: "integer" | "number" }
    ? S extends { default: number }
      ? number
      : number | undefined
    : S extends { repeatable: true }
      ? S extends { choices: readonly (infer C)[] }
        ? readonly C[]
        : readonly string[]
      : S extends { choices: readonly (infer C)[] }
        ? S extends { default: string }
          ? C
          : C | undefined
        : S extends { default: string }
          ? string
          : string | undefined;

type ArgumentValue<S extends ArgumentSpec> = S extends { isVariadic: true }
  ? readonly string[]
  : S extends { type: "integer" }
    ? S extends { isOptional: true }
      ? number | undefined
      : number
    : S extends { isOptional: true }
      ? string | undefined
      : string;

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;
export type ArgumentSpecs = readonly ArgumentSpec[];

export type ParsedOptions<O extends OptionSpecs> = { -readonly [K in keyof O]: OptionValue<O[K]> };
export type ParsedArguments<A extends ArgumentSpecs> = { [S in A[number] as S["name"]]: ArgumentValue<S> };

/** What a command may touch of the outside; built once in `main.ts`. */
export type CommandIo = {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stdin: NodeJS.ReadStream;
  reporter: Reporter;
  /** aborted at the first Ctrl-C or SIGTERM: clean up and end */
  signal: AbortSignal;
  /** aborted at the second: end at once */
  insistSignal: AbortSignal;
};

/** What a command's file declares. Its name and summary stand once, in the list of its program (scripts/programs/). */
export type Command<A extends ArgumentSpecs = ArgumentSpecs, O extends OptionSpecs = OptionSpecs> = {
  /** further paragraphs of help */
  description?: string;
  /** none where it takes none; the same for the options */
  args?: A;
  options?: O;
  examples: readonly [string, ...string[]];
  /** options that are not declared are arguments, wherever they stand (`run build --target x`) */
  passesUnknown?: boolean;
  /** whether `--json` gives one document (where it says nothing), JSON lines, or is not offered */
  json?: "document" | "lines" | "none";
  /** returns its answer, yes or no, as exit code 0 or 1; nothing is a yes, and a number another exit code */
  run: (input: { args: ParsedArguments<A>; options: ParsedOptions<O> }, io: CommandIo) => Promise<Answer>;
};

export type Answer = boolean | number | void;

/** A command whose argument types are forgotten: what the parser, the help and the registry handle. */
export type AnyCommand = Omit<Required<Omit<Command, "description" | "passesUnknown">>, "run"> &
  Pick<Command, "description" | "passesUnknown"> & {
    run: (input: { args: never; options: never }, io: CommandIo) => Promise<Answer>;
  };

/** Declares a command; everything about it (types of `run` included) comes from this one object. */
export const defineCommand = <
  const A extends ArgumentSpecs = readonly [],
  const O extends OptionSpecs = Readonly<Record<string, never>>,
>(
  command: Command<A, O>,
): AnyCommand => ({ args: [], options: {}, json: "document", ...command });

/** A command in a list: its declaration is loaded when it is called, because commands must start fast. */
export type CommandEntry = { summary: string; load: () => Promise<AnyCommand> };

/** Commands under one word: `rescue` with `list`, `show` and `apply`. A whole program may stand in another one. */
export type CommandGroup = {
  summary: string;
  commands: Readonly<Record<string, Entry>>;
  /** how help divides them; without it they are one list */
  sections?: Readonly<Record<string, readonly string[]>>;
};

export type Entry = CommandEntry | CommandGroup;

/** A program of the package, with subcommands (`worker`) or with one command of its own (`steerer`). */
export type Program = Entry & { name: string };

/** A loaded command under the name that it was called by. */
export type NamedCommand = AnyCommand & { name: string; summary: string };
