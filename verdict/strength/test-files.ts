import type { LexedLanguage } from "./tokens.ts";

const NAMES: Record<LexedLanguage, RegExp> = {
  javascript:
    /(?:[._-](?:test|spec|e2e|cy)\.[cm]?[jt]sx?$)|(?:(?:^|\/)(?:test|tests|__tests__|spec|specs|e2e|cypress)\/(?:.*\/)?[^/]*\.[cm]?[jt]sx?$)|(?:(?:^|\/)tests?\.[cm]?[jt]sx?$)/,
  python: /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests?|conftest)\.py$|(?:^|\/)tests?\/(?:.*\/)?[^/]*\.py$/,
  go: /_test\.go$/,
  rust: /(?:^|\/)tests\/.*\.rs$|(?:^|\/)(?:tests?|[^/]*_tests?)\.rs$/,
};

const RUNNERS =
  /from\s*["'](?:node:test|vitest|@jest\/globals|bun:test|ava|tap|mocha|@playwright\/test|uvu)["']|require\(["'](?:node:test|vitest|@jest\/globals|ava|tap|mocha)["']\)/;

/** A file that tests are read from: by the name that runners look for, or by what it imports. */
export const isTestFile = (file: string, language: LexedLanguage, text: string): boolean =>
  NAMES[language].test(file) ||
  (language === "javascript" && RUNNERS.test(text)) ||
  (language === "rust" && /#\[(?:\w+::)*test(?:\(|\])/.test(text));

/** By its name alone: what a runner would find. */
export const isNamedAsTest = (file: string): boolean => Object.values(NAMES).some((name) => name.test(file));

const FILES: readonly (readonly [RegExp, LexedLanguage])[] = [
  [/\.(?:[cm]?[jt]s|[jt]sx)$/, "javascript"],
  [/\.pyi?$/, "python"],
  [/\.go$/, "go"],
  [/\.rs$/, "rust"],
];

export const languageOf = (file: string): LexedLanguage | undefined =>
  /\.min\.js$|(?:^|\/)(?:node_modules|vendor|dist)\//.test(file)
    ? undefined
    : FILES.find(([pattern]) => pattern.test(file))?.[1];
