import {
  type Command,
  type For,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word as ShellWord,
} from "unbash";
import { posix } from "node:path";
import { type Call, type Places, UNKNOWN, type Word } from "./call.ts";
import { expandWord, type Known } from "./expand.ts";
import { placeOf } from "./places.ts";
import { listInner } from "./unwrap.ts";

/** Deeper than anybody writes; what is nested further is not read. */
const MAX_DEPTH = 12;
const MAX_CALLS = 2_000;
const MAX_LOOP_WORDS = 8;

type Reading = {
  calls: Call[];
  /** words that were read as a program: of two readings that come to the same command one is enough */
  seen: WeakSet<Word>;
  depth: number;
  before: Call[];
  input: string | undefined;
};

/** Every program that a text would start as a shell script, also inside of `bash -c`, `xargs`, `$(…)` and the like. */
export const readShell = (text: string, places: Places): Call[] => {
  const calls: Call[] = [];
  const reading = { calls, seen: new WeakSet<Word>(), depth: 0, before: [], input: undefined };
  readScript(text, { ...places, variables: new Map() }, reading);
  return calls;
};

const readScript = (text: string, known: Known, reading: Reading): void => {
  if (reading.depth > MAX_DEPTH) return;
  const script = parseOrNothing(text);
  if (script) readNode(script, known, reading);
};

/** Undefined for a text whose nesting no parser comes to the end of. */
const parseOrNothing = (text: string): SyntaxNode | undefined => {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** A copy that a subshell changes unnoticed. */
const apart = (known: Known): Known => ({ ...known, variables: new Map(known.variables) });

const readNode = (node: SyntaxNode, known: Known, reading: Reading): void => {
  if (reading.calls.length > MAX_CALLS) return;
  if (node.type === "Command") readCommand(node, known, reading);
  else if (node.type === "Pipeline") readPipeline(node.commands, known, reading);
  else if (node.type === "For") readLoop(node, known, reading);
  else if (OWN_SHELL.has(node.type)) {
    // What is inside is parsed when it is looked at, on the stack that got us here.
    if (reading.depth < MAX_DEPTH)
      readChildren(node, apart(known), {
        ...reading,
        depth: reading.depth + 1,
        before: [],
        input: undefined,
      });
  } else {
    if (node.type === "Assignment" && node.value.type === "Word")
      known.variables.set(node.name, expandWord(node.value, known).text);
    const input = node.type === "Redirected" ? inputOf(node.redirects, known) : undefined;
    readChildren(node, known, input === undefined ? reading : { ...reading, input });
  }
};

/** What these change of variables and places ends with them. */
const OWN_SHELL = new Set<SyntaxNode["type"]>(["Subshell", "CommandExpansion", "ProcessSubstitution"]);

/** The body once for each word, as far as they are in the text. */
const readLoop = (node: For, known: Known, reading: Reading): void => {
  const list = node.wordlist ?? [];
  const from = reading.calls.length;
  for (const word of list) readChildren(word, known, reading);
  // What its words come from stands before the body like the stages of a pipeline.
  const before = [...reading.before, ...reading.calls.slice(from)];
  const values = list.slice(0, MAX_LOOP_WORDS).map((word) => expandWord(word, known).text);
  for (const value of values.length === 0 ? [UNKNOWN] : values) {
    known.variables.set(node.name.value, value);
    readNode(node.body, known, { ...reading, before });
  }
};

const readChildren = (node: SyntaxNode, known: Known, reading: Reading): void =>
  forEachChild(node, (child) => readNode(child, known, reading));

const readPipeline = (commands: readonly SyntaxNode[], known: Known, reading: Reading): void => {
  let { input } = reading;
  const before: Call[] = [...reading.before];
  for (const command of commands) {
    const from = reading.calls.length;
    // Each stage runs in a shell of its own.
    readNode(command, apart(known), { ...reading, before: [...before], input });
    const stage = reading.calls.slice(from);
    before.push(...stage);
    input = printedBy(stage);
  }
};

/** What a stage writes into the next one, where the text says it. */
const printedBy = (stage: readonly Call[]): string | undefined => {
  const texts = stage.map(({ program, args, words, input }) => {
    if (program === "echo" || program === "printf")
      return args
        .map(({ text }) => text)
        .filter((text) => !/^-[neE]+$/.test(text))
        .join(" ");
    // What is listed lies in, or is, what was asked for.
    if (program === "ls") return words.filter((word) => !word.startsWith("-")).join(" ") || undefined;
    if (program === "find" && !words.some((word) => word.startsWith("-exec")))
      return `${words.find((word) => !word.startsWith("-")) ?? "."}/found`;
    return ["cat", "tee", "sort", "uniq", "grep", "head", "tail"].includes(program) ? input : undefined;
  });
  return texts.some((text) => text !== undefined) ? texts.filter(Boolean).join("\n") : undefined;
};

const isWordNode = (node: SyntaxNode): node is ShellWord => node.type === "Word";

const inputOf = (redirects: readonly Redirection[], known: Known): string | undefined => {
  for (const redirect of redirects) {
    if (redirect.type === "HereDoc") return redirect.body.text;
    if (redirect.type === "HereString" && redirect.target) return expandWord(redirect.target, known).text;
  }
  return undefined;
};

const writesOf = (redirects: readonly Redirection[], known: Known): string[] =>
  redirects.flatMap((redirect) =>
    redirect.type === "Redirect" && redirect.target && redirect.operator.includes(">")
      ? [placeOf(expandWord(redirect.target, known).text, known)]
      : [],
  );

const readCommand = (node: Command, known: Known, reading: Reading): void => {
  const env: Record<string, string> = {};
  const inside: Call[] = [];
  const nested = { ...reading, calls: inside, before: [], input: undefined };
  for (const part of [...node.prefix, ...node.suffix]) {
    if (part.type === "Assignment" && part.value.type === "Word")
      env[part.name] = expandWord(part.value, known).text;
    readChildren(part, apart(known), nested);
  }
  if (node.name) readChildren(node.name, apart(known), nested);
  reading.calls.push(...inside);
  if (!node.name) {
    for (const [name, value] of Object.entries(env)) known.variables.set(name, value);
    return;
  }
  const words = [node.name, ...node.args].map((word): Word =>
    isWordNode(word) ? expandWord(word, known) : { text: word.text, source: word.text },
  );
  const call = {
    env,
    inside,
    input: inputOf(node.redirects, known) ?? reading.input,
    before: reading.before,
    writes: writesOf(node.redirects, known),
  };
  pushCall(words, call, { known, reading });
};

type Around = Pick<Call, "env" | "inside" | "input" | "before" | "writes">;

/** Notes a call, and reads whatever it would start itself. */
const pushCall = (
  words: readonly Word[],
  around: Around,
  { known, reading }: { known: Known; reading: Reading },
): void => {
  const [name, ...args] = words;
  if (name === undefined || reading.seen.has(name) || reading.depth > MAX_DEPTH) return;
  reading.seen.add(name);
  const call: Call = {
    ...around,
    program: posix
      .basename(name.text.replace(/\\/g, "/"))
      .toLowerCase()
      .replace(/\.exe$/, ""),
    source: name.source,
    args,
    words: args.map(({ text }) => text),
    places: { tree: known.tree, home: known.home, dir: known.dir },
    earlier: [...reading.calls],
  };
  reading.calls.push(call);
  changePlaces(call, known);
  const deeper = { ...reading, depth: reading.depth + 1 };
  for (const inner of listInner(call)) {
    const where = inner.isElsewhere ? elsewhere(known) : known;
    const innerAround = { ...around, env: { ...around.env, ...inner.env } };
    if (inner.script === undefined) pushCall(inner.words, innerAround, { known: where, reading: deeper });
    else readScript(inner.script, apart(where), { ...deeper, before: [...around.before] });
  }
};

/** On another machine, or in a container: nothing there is the tree. */
const elsewhere = (known: Known): Known => ({
  ...known,
  tree: "/nowhere",
  dir: "/nowhere",
  variables: new Map(),
});

const changePlaces = ({ program, words, args }: Call, known: Known): void => {
  if (program === "cd" || program === "pushd") {
    const [to = known.home] = words.filter((word) => !/^-[LPe@]+$/.test(word));
    if (to !== "-") known.dir = to.includes(UNKNOWN) ? `/tmp/made-here/${program}` : placeOf(to, known);
  }
  if (["export", "declare", "local", "readonly", "typeset"].includes(program))
    for (const { text } of args) {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
      if (name !== undefined && value !== undefined) known.variables.set(name, value);
    }
};
