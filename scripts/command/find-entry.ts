import type { CommandEntry, CommandGroup, Entry, NamedCommand, Program } from "./define-command.ts";

export const isGroup = (entry: Entry): entry is CommandGroup => "commands" in entry;

export type FoundEntry = {
  /** as it was called: `worker start`, `nightshift worker start` */
  name: string;
  entry: Entry;
  /** what stands behind the name */
  words: readonly string[];
  /** `help` stood among the words of the name: `worker help start` */
  isHelp: boolean;
};

/** Follows the words into the program's groups as far as they name something. */
export const findEntry = (program: Program, argv: readonly string[]): FoundEntry => {
  const found: FoundEntry = { name: program.name, entry: program, words: argv, isHelp: false };
  for (;;) {
    const [word] = found.words;
    if (word === undefined || !isGroup(found.entry)) return found;
    const next = Object.hasOwn(found.entry.commands, word) ? found.entry.commands[word] : undefined;
    if (next) {
      found.entry = next;
      found.name += ` ${word}`;
    } else if (word === "help") found.isHelp = true;
    else return found;
    found.words = found.words.slice(1);
  }
};

export const loadCommand = async (name: string, entry: CommandEntry): Promise<NamedCommand> => ({
  ...(await entry.load()),
  name,
  summary: entry.summary,
});

/** Every command below an entry, under its whole name; what `leavesOut` says is passed over. */
export const listCommands = (
  name: string,
  entry: Entry,
  leavesOut: (entry: Entry) => boolean = () => false,
): { name: string; entry: CommandEntry }[] =>
  isGroup(entry)
    ? Object.entries(entry.commands)
        .filter(([, inner]) => !leavesOut(inner))
        .flatMap(([word, inner]) => listCommands(`${name} ${word}`, inner, leavesOut))
    : [{ name, entry }];
