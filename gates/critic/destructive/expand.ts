import type { Word as ShellWord, WordPart } from "unbash";
import { OWN_TEMP, type Places, UNKNOWN, type Word } from "./call.ts";

/** What is known of variables and places at one point of a text. */
export type Known = Places & { variables: Map<string, string> };

const KNOWN_PLACES: Record<string, (known: Known) => string> = {
  HOME: ({ home }) => home,
  PWD: ({ dir }) => dir,
  TMPDIR: () => OWN_TEMP,
  TMP: () => OWN_TEMP,
  TEMP: () => OWN_TEMP,
  RUNNER_TEMP: () => OWN_TEMP,
  GITHUB_WORKSPACE: ({ tree }) => tree,
  CLAUDE_PROJECT_DIR: ({ tree }) => tree,
};

const valueOf = (name: string, known: Known): string =>
  known.variables.get(name) ?? KNOWN_PLACES[name]?.(known) ?? UNKNOWN;

/** The places that commands print, as far as they are told apart without being run. */
const printedPlace = (text: string, known: Known): string => {
  const command = text.replace(/^\$\(|^`|\)$|`$/g, "").trim();
  if (/^mktemp\b/.test(command)) return OWN_TEMP;
  if (command === "pwd") return known.dir;
  if (/^git rev-parse --show-toplevel$/.test(command)) return known.tree;
  const said = /^(?:echo|printf)\s+["']?([^"'$`|;&]*)["']?$/.exec(command)?.[1];
  return said?.trim() ?? UNKNOWN;
};

const expandPart = (part: WordPart, known: Known): string => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
      return part.value;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map((child) => expandPart(child, known)).join("");
    case "SimpleExpansion":
      return valueOf(part.text.slice(1), known);
    case "ParameterExpansion":
      return expandParameter(part, known);
    case "CommandExpansion":
      return printedPlace(part.text, known);
    case "BraceExpansion":
    case "ExtendedGlob":
      return part.text;
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
      return UNKNOWN;
  }
};

const expandParameter = (part: Extract<WordPart, { type: "ParameterExpansion" }>, known: Known): string => {
  const value = valueOf(part.parameter, known);
  const { operation } = part;
  if (value !== UNKNOWN || operation?.type !== "Default") return value;
  // `${DIR:?}` ends the shell where there is none: what follows is never the root.
  if (operation.operator.endsWith("?")) return "set-by-somebody";
  return operation.operator.endsWith("+") ? UNKNOWN : expandWord(operation.operand, known).text;
};

/** A word as the shell would hand it on. */
export const expandWord = (word: ShellWord, known: Known): Word => {
  const text =
    word.parts === undefined ? word.value : word.parts.map((part) => expandPart(part, known)).join("");
  const isTilde = /^~(?:\/|$)/.test(word.text);
  return { text: isTilde ? text.replace(/^~/, known.home) : text, source: word.text };
};
