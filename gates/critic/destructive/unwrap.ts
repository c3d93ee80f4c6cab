import type { Call, Word } from "./call.ts";
import { UNKNOWN } from "./call.ts";
import { CONTAINERS, PREFIXES, SHELLS, SUBCOMMANDS, WITH_OPERAND } from "./starters.ts";

/** What a call starts itself: a command of its own words, or a text that a shell reads. */
export type Inner =
  | { script?: undefined; words: readonly Word[]; env?: Record<string, string>; isElsewhere?: boolean }
  | { script: string; env?: Record<string, string>; isElsewhere?: boolean };

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** No option's value, but a command, and one that does no harm with the words behind it. */
const SPEAKS = /^(?:echo|printf|cat|ls|grep|rg|head|tail|wc|true|test)$/;
const MAX_READINGS = 16;

/**
 * The words behind the options of a program that starts them, and the variables set there. Whether a word behind an
 * option is its value or the command, only the program knows: both readings are listed.
 */
const listBehind = (args: readonly Word[]): { env: Record<string, string>; rest: readonly Word[] }[] => {
  const env: Record<string, string> = {};
  const starts: number[] = [];
  for (const [i, { text }] of args.entries()) {
    const [, name, value] = ASSIGNMENT.exec(text) ?? [];
    const before = args[i - 1]?.text ?? "";
    if (name !== undefined && value !== undefined) env[name] = value;
    else if (before === "--" || !text.startsWith("-") || text === "-") {
      starts.push(i);
      if (!/^-[^=]+$/.test(before) || before === "--" || SPEAKS.test(text)) break;
    }
  }
  const likely = starts.filter((_, i) => i < MAX_READINGS / 2 || i >= starts.length - MAX_READINGS / 2);
  return likely.map((start) => ({ env, rest: args.slice(start) }));
};

const joined = (words: readonly Word[]): string => words.map(({ text }) => text).join(" ");

const withoutLeading = (words: readonly Word[], expression: RegExp): readonly Word[] =>
  expression.test(words[0]?.text ?? "") ? words.slice(1) : words;

const isScriptOption = ({ text }: Word): boolean => text === "-c" || text === "--call";

const unwrapPrefix = (call: Call): Inner[] => {
  const { program, args } = call;
  if (!PREFIXES.has(program)) return [];
  const split = args.findIndex(({ text }) => text === "-S" || text.startsWith("--split-string"));
  if (program === "env" && split >= 0) return [{ script: joined(args.slice(split + 1)) }];
  if (program === "npx" && args.some(isScriptOption))
    return [{ script: joined(args.slice(args.findIndex(isScriptOption) + 1)) }];
  return listBehind(args).map(({ env, rest }) => {
    if (program === "watch" || program === "parallel")
      return rest.length === 1 ? { script: joined(rest) } : { words: untilColons(rest) };
    return program === "xargs" ? { words: feed(call, rest) } : { words: rest, env };
  });
};

/** The command that `xargs` starts. What comes through the pipe is known only if the text says it. */
const feed = ({ args, input }: Call, words: readonly Word[]): readonly Word[] => {
  const fed = (input ?? UNKNOWN)
    .split(/\s+/)
    .filter(Boolean)
    .map((text): Word => ({ text, source: text }));
  const mark = args.find(({ text }) => /^-I./.test(text))?.text.slice(2) ?? nextOf(args, "-I") ?? "{}";
  const isReplaced = args.some(({ text }) => /^-[Ii]|^--replace/.test(text));
  if (!isReplaced) return [...words, ...fed];
  return words.map(({ text, source }) => ({
    text: text.replaceAll(mark, fed[0]?.text ?? UNKNOWN),
    source,
  }));
};

const nextOf = (args: readonly Word[], option: string): string | undefined => {
  const at = args.findIndex(({ text }) => text === option);
  return at >= 0 ? args[at + 1]?.text : undefined;
};

const untilColons = (words: readonly Word[]): readonly Word[] => {
  const end = words.findIndex(({ text }) => text === ":::" || text === "::::");
  return end < 0 ? words : [...words.slice(0, end), ...words.slice(end + 1)];
};

const OWN_WORDS = /^(?:rm|remove|un\w*|install|i|add|link|exec|dlx|run|publish|npm|-.*)$/;

const unwrapSubcommand = ({ program, args }: Call): Inner[] => {
  const [first, ...rest] = args.filter(({ text }, i) => i > 0 || !text.startsWith("-"));
  // Both start a package's program by its name alone.
  if (first !== undefined && (program === "pnpm" || program === "yarn") && !OWN_WORDS.test(first.text))
    return [{ words: [first, ...rest] }];
  if (first === undefined || SUBCOMMANDS[program]?.includes(first.text) !== true) return [];
  return listBehind(rest).map((behind) => ({ words: behind.rest }));
};

/** `timeout 5 rm`, `flock file rm`, `chroot dir rm`: one word of their own, then the command. */
const unwrapWithOperand = ({ program, args }: Call): Inner[] => {
  if (!WITH_OPERAND.has(program)) return [];
  const script = nextOf(args, "-c");
  if (script !== undefined) return [{ script }];
  if (program === "su") return [];
  return listBehind(args).map(({ rest }) =>
    program === "runuser" ? { words: rest } : { words: rest.slice(1), isElsewhere: program === "chroot" },
  );
};

const unwrapShell = (call: Call): Inner[] => {
  const { program, args, input, inside } = call;
  if (program === "eval") return [{ script: joined(args) }];
  if (program === "trap") return args[0] && !args[0].text.startsWith("-") ? [{ script: args[0].text }] : [];
  if (!SHELLS.has(program)) return [];
  // `-n` only reads the script.
  if (args.some(({ text }) => /^-[a-z]*n[a-z]*$/.test(text) && program !== "pwsh")) return [];
  const at = args.findIndex(({ text }) => /^-[a-z]*c$/i.test(text) || /^-command$/i.test(text));
  if (at >= 0) {
    const scripts = args.slice(at + 1).find(({ text }) => !/^-[a-z]+$/.test(text));
    return scripts ? [{ script: scripts.text }] : [];
  }
  const file = args.find(({ text }) => !text.startsWith("-"));
  return file === undefined && input !== undefined && inside.length === 0 ? [{ script: input }] : [];
};

const unwrapFind = ({ program, args }: Call): Inner[] => {
  if (program !== "find" && program !== "fd" && program !== "fdfind") return [];
  const from = args.findIndex(({ text }) => !text.startsWith("-"));
  const paths =
    program === "find"
      ? args
          .slice(Math.max(0, from))
          .filter((_, i, all) => all.slice(0, i + 1).every(({ text }) => !/^[-(!]/.test(text)))
      : [];
  const inner: Inner[] = [];
  for (const [i, { text }] of args.entries()) {
    if (
      !/^-(?:exec|execdir|ok|okdir)$/.test(text) &&
      !(program !== "find" && /^(?:-x|-X|--exec|--exec-batch)$/.test(text))
    )
      continue;
    const rest = args.slice(i + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    const words = end < 0 ? rest : rest.slice(0, end);
    // The files it found lie below the places it was told to look in.
    const found = (paths.length > 0 ? paths : [{ text: ".", source: "." }]).map((path) => ({
      text: `${path.text.replace(/\/$/, "")}/found`,
      source: "{}",
    }));
    for (const path of found)
      inner.push({
        words: words.map((word) =>
          word.text === "{}" ? path : { ...word, text: word.text.replaceAll("{}", path.text) },
        ),
      });
  }
  return inner;
};

/** On another machine or in a container the same words do the same harm, to others. */
const unwrapRemote = ({ program, args, input, words }: Call): Inner[] => {
  if (program === "ssh" || program === "mosh") {
    const told = listBehind(args).flatMap(({ rest }) => (rest.length > 1 ? [rest.slice(1)] : []));
    if (told.length > 0) return told.map((words) => ({ script: joined(words), isElsewhere: true }));
    return input === undefined ? [] : [{ script: input, isElsewhere: true }];
  }
  if (program === "git") {
    const at = words.indexOf("foreach");
    const script = words.slice(at + 1).find((word) => !word.startsWith("-"));
    return words[0] === "submodule" && at > 0 && script !== undefined
      ? [{ script: words.slice(words.indexOf(script, at)).join(" ") }]
      : [];
  }
  const at = words.findIndex((word) => ["exec", "run", "ssh"].includes(word));
  if (!CONTAINERS.has(program) || at < 0) return [];
  // A container that is thrown away after the command loses nothing but itself, unless it has our files.
  const hasVolume = words.some((word) => /^(?:-v|--volume|--mount)/.test(word));
  if (words[at] === "run" && !hasVolume) return [];
  const dashes = words.indexOf("--", at);
  const told =
    dashes >= 0 ? [args.slice(dashes + 1)] : listBehind(args.slice(at + 1)).map(({ rest }) => rest.slice(1));
  return told.flatMap((command) => (command.length > 0 ? [{ words: command, isElsewhere: true }] : []));
};

/** Code of another language that starts a shell: what it hands over is in the text. */
const unwrapCode = ({ program, args, input }: Call): Inner[] => {
  const option = CODE_OPTIONS.find(([name]) => name.test(program))?.[1];
  if (option === undefined) return [];
  const at = args.findIndex(({ text }) => option.test(text));
  const code = at >= 0 ? args[at + 1]?.text : args.every(({ text }) => text === "-") ? input : undefined;
  if (code === undefined) return [];
  return [...code.matchAll(SHELLED)].map(([, , script = ""]) => ({
    script: script.replace(/\\(["'`])/g, "$1"),
  }));
};

const CODE_OPTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/^python[\d.]*$/, /^-\w*c$/],
  [/^(?:node|bun|deno)$/, /^(?:-e|--eval|-p|eval)$/],
  [/^(?:ruby|perl)$/, /^-\w*[eE]$/],
  [/^php$/, /^-r$/],
];
const SHELLED =
  /(?:os\.system|os\.popen|subprocess\.(?:run|call|check_call|check_output|Popen|getoutput)|exec(?:Sync)?|spawnSync|system|shell_exec|passthru|popen)\s*\(\s*(["'`])((?:\\.|(?!\1).)+)\1/gs;

/** `java -jar tool-1.2.jar` is the tool, `cmd /c` a shell, and awk hands over to one. */
const unwrapRuntime = ({ program, args, words }: Call): Inner[] => {
  if (program === "java") {
    const at = words.indexOf("-jar");
    const jar = /([\w-]+?)(?:-[\d.]+)?\.jar$/.exec(words[at + 1] ?? "")?.[1];
    return at >= 0 && jar !== undefined
      ? [{ words: [{ text: jar, source: jar }, ...args.slice(at + 2)] }]
      : [];
  }
  if (program === "cmd") {
    const at = words.findIndex((word) => /^\/+[ck]$/i.test(word));
    return at >= 0 ? [{ words: args.slice(at + 1) }] : [];
  }
  if (!/^[gm]?awk$/.test(program)) return [];
  return [...words.join("\n").matchAll(/system\(\s*"((?:\\.|[^"\\])+)"/g)].map(([, script = ""]) => ({
    script,
  }));
};

/** Everything that a call starts. */
export const listInner = (call: Call): Inner[] => [
  ...unwrapPrefix(call),
  ...unwrapSubcommand(call),
  ...unwrapWithOperand(call),
  ...unwrapShell(call),
  ...unwrapFind(call),
  ...unwrapRemote(call),
  ...unwrapRuntime(call),
  ...unwrapCode({ ...call, args: [...withoutLeading(call.args, /^-u$/)] }),
];
