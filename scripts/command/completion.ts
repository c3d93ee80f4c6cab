import { workersHome } from "../../core/paths.ts";
import { listWorkers } from "../../worker/state/worker-store.ts";
import type { AnyCommand, ArgumentSpec, OptionSpec, Program } from "./define-command.ts";
import { findEntry, isGroup } from "./find-entry.ts";
import { optionsOf } from "./parse-arguments.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the Tab was pressed. */
type Place = { env: Environment; cwd: string; note: (line: string) => void };

/** Told to the shell instead of candidates: complete file names itself. */
export const FILES = ":files";

const namesOfWorkers = (env: Environment): string[] => {
  try {
    const { workers, damaged } = listWorkers(workersHome(env));
    return [
      ...workers.map(({ name, shown, dir }) => described(name, `${shown}, in ${dir}`)),
      ...damaged.map(({ name }) => described(name, "its state cannot be read")),
    ];
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

/** Longer than this nobody waits for a Tab. */
const LIMIT_MS = 1_000;

/** Names of the sites on this user's own server; a project's config does not say where its token is sent. */
const listSites = async (env: Environment): Promise<string[]> => {
  try {
    const { tryServer } = await import("../../client/server-client.ts");
    const { findServerToken, findServerUrl } = await import("../../core/server-address.ts");
    const token = findServerToken({ env });
    const { answer } = await tryServer(
      { url: findServerUrl({ env }), fetch, timeoutMs: LIMIT_MS, readKey: () => token },
      (client, options) => client.api.sites.get(options),
    );
    return answer?.sites.map(({ name }) => name) ?? [];
  } catch {
    return []; // nobody has made a token here
  }
};

const candidatesFor = async (spec: ArgumentSpec | OptionSpec, place: Place): Promise<string[]> => {
  if ("choices" in spec && spec.choices) return [...spec.choices];
  const { complete } = spec;
  if (complete === "worker") return namesOfWorkers(place.env);
  if (complete === "declared-worker")
    return withoutTwice([...namesOfWorkers(place.env), ...(await listDeclared(complete, place))]);
  if (complete === "gate" || complete === "task") return listDeclared(complete, place);
  if (complete === "agent") return Object.keys((await import("../../agents/index.ts")).AGENTS);
  if (complete === "site") return listSites(place.env);
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
  if (last.startsWith("-"))
    return [...known].map(([name, [, { description }]]) => described(`--${name}`, description));
  let position = 0;
  for (const [index, word] of words.slice(0, -1).entries()) {
    const option = words[index - 1]?.startsWith("--")
      ? known.get((words[index - 1] ?? "").slice(2))?.[1]
      : undefined;
    if (!word.startsWith("-") && (!option || option.type === "boolean")) position++;
  }
  const argument = command.args[position] ?? command.args.findLast((spec) => spec.isVariadic);
  return argument
    ? candidatesFor(argument, place)
    : [...known].map(([name, [, { description }]]) => described(`--${name}`, description));
};

/**
 * What may stand where the last of `words` is being typed, from the same declarations as parsing and help;
 * behind a tab what it means, where somebody has said so.
 */
export const completeWords = async (
  program: Program,
  words: readonly string[],
  place: Place,
): Promise<string[]> => {
  const last = words.at(-1) ?? "";
  const found = findEntry(program, words.slice(0, -1));
  const { entry } = found;
  if (isGroup(entry)) {
    if (found.words.length > 0) return [];
    const known = Object.entries(entry.commands).map(([word, { summary }]) => described(word, summary));
    return matching([...known, described("help", "Show the help of a command")], last);
  }
  if (found.isHelp) return [];
  return matching(await completeCommand(await entry.load(), [...found.words, last], place), last);
};

/** Each word once, by its first mention. */
const withoutTwice = (candidates: readonly string[]): string[] =>
  candidates.filter(
    (one, index) => candidates.findIndex((other) => other.split("\t")[0] === one.split("\t")[0]) === index,
  );

const described = (word: string, meaning: string): string => `${word}\t${meaning}`;

const matching = (candidates: readonly string[], start: string): string[] =>
  candidates.filter((candidate) => candidate === FILES || candidate.startsWith(start));
