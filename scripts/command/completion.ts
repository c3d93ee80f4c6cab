import { workersHome } from "../../core/paths.ts";
import { listNames } from "../../worker/state/worker-names.ts";
import type { AnyCommand, ArgumentSpec, OptionSpec, Program } from "./define-command.ts";
import { optionsOf } from "./parse-arguments.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the Tab was pressed. */
type Place = { env: Environment; cwd: string; note: (line: string) => void };

/** Told to the shell instead of candidates: complete file names itself. */
export const FILES = ":files";

const listWorkers = (env: Environment): string[] => {
  try {
    return listNames(workersHome(env));
  } catch {
    return [];
  }
};

/** What the project's config and task scripts declare. A config with a fault offers nothing; the command names it. */
const listDeclared = async (
  kind: "declared-worker" | "gate" | "task",
  { cwd, env, note }: Place,
): Promise<string[]> => {
  try {
    const { readingOnly } = await import("./read-config.ts");
    const decision = readingOnly({ env, note });
    const { loadConfig } = await import("../../core/config/load-config.ts");
    const { config, root } = await loadConfig(cwd, decision);
    if (kind === "declared-worker") return Object.keys(config.workers ?? {});
    if (kind === "gate") {
      const { selectGates } = await import("../../gates/select-gates.ts");
      return selectGates(config.gates ?? {}, { root }).map(({ id }) => id);
    }
    const { readTasks } = await import("./read-tasks.ts");
    return (await readTasks(decision, { config, root })).tasks.map(({ name }) => name);
  } catch {
    return [];
  }
};

const candidatesFor = async (spec: ArgumentSpec | OptionSpec, place: Place): Promise<string[]> => {
  if ("choices" in spec && spec.choices) return [...spec.choices];
  const { complete } = spec;
  if (complete === "worker") return listWorkers(place.env);
  if (complete === "declared-worker")
    return [...new Set([...(await listDeclared(complete, place)), ...listWorkers(place.env)])];
  if (complete === "gate" || complete === "task") return listDeclared(complete, place);
  if (complete === "agent") return Object.keys((await import("../../agents/index.ts")).AGENTS);
  return complete ? [FILES] : [];
};

const completeCommand = async (
  command: AnyCommand,
  words: readonly string[],
  place: Place,
): Promise<string[]> => {
  const known = optionsOf(command);
  const last = words.at(-1) ?? "";
  const before = words.at(-2);
  const awaiting = before?.startsWith("--") ? known.get(before.slice(2))?.[1] : undefined;
  if (awaiting && awaiting.type !== "boolean") return candidatesFor(awaiting, place);
  if (last.startsWith("-")) return [...known.keys()].map((name) => `--${name}`);
  let position = 0;
  for (const [index, word] of words.slice(0, -1).entries()) {
    const option = words[index - 1]?.startsWith("--")
      ? known.get((words[index - 1] ?? "").slice(2))?.[1]
      : undefined;
    if (!word.startsWith("-") && (!option || option.type === "boolean")) position++;
  }
  const argument = command.args[position] ?? command.args.findLast((spec) => spec.isVariadic);
  return argument ? candidatesFor(argument, place) : [...known.keys()].map((name) => `--${name}`);
};

/** What may stand where the last of `words` is being typed; from the same declarations as parsing and help. */
export const completeWords = async (
  program: Program,
  words: readonly string[],
  place: Place,
): Promise<string[]> => {
  const last = words.at(-1) ?? "";
  const names = Object.keys(program.commands);
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const entry =
      words.length > length && Object.hasOwn(program.commands, name) ? program.commands[name] : undefined;
    if (entry) return matching(await completeCommand(await entry.load(), words.slice(length), place), last);
  }
  const fromMain = program.main ? await completeCommand(await program.main(), words, place) : [];
  const typed = words.slice(0, -1);
  const subcommands = names
    .map((name) => name.split(" "))
    .filter((parts) => parts.length > typed.length && typed.every((word, index) => parts[index] === word))
    .map((parts) => parts[typed.length] ?? "");
  return matching([...new Set([...subcommands, ...fromMain])], last);
};

const matching = (candidates: readonly string[], start: string): string[] =>
  candidates.filter((candidate) => candidate === FILES || candidate.startsWith(start));

const bash = (name: string) => `_${name.replaceAll("-", "_")}_complete() {
  local IFS=$'\\n' candidates
  candidates=($(${name} --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ "\${candidates[0]}" = "${FILES}" ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  else
    COMPREPLY=("\${candidates[@]}")
  fi
}
complete -F _${name.replaceAll("-", "_")}_complete ${name}`;

const zsh = (name: string) => `_${name.replaceAll("-", "_")}_complete() {
  local -a candidates
  candidates=("\${(@f)$(${name} --complete "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)}")
  if [[ "\${candidates[1]}" == "${FILES}" ]]; then _files; else compadd -a candidates; fi
}
compdef _${name.replaceAll("-", "_")}_complete ${name}`;

const fish = (name: string) => `function __${name.replaceAll("-", "_")}_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates (${name} --complete $words[2..-1] 2>/dev/null)
    if test "$candidates[1]" = "${FILES}"
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $candidates
    end
end
complete -c ${name} -f -a '(__${name.replaceAll("-", "_")}_complete)'`;

const SHELLS = { bash, zsh, fish };

export type Shell = keyof typeof SHELLS;

/** The script that a shell sources; it asks the program itself at every Tab. */
export const completionScript = (shell: Shell, programs: readonly string[]): string => {
  const head = shell === "zsh" ? "autoload -Uz compinit && compinit -u\n" : "";
  return `${head}${programs.map((name) => SHELLS[shell](name)).join("\n")}\n`;
};
