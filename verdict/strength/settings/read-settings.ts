import { isGateFile } from "./settings-files.ts";

/** One thing that a settings file says, on its line. */
export type Fact = { name: string; text: string; value: number; line: number };

export type Settings = {
  /** lowest share of what has to be covered, by name */
  thresholds: Fact[];
  timeouts: Fact[];
  retries: Fact[];
  /** lines that make a failure count for nothing */
  swallowed: Fact[];
  /** tools that check something, in commands */
  tools: Fact[];
  /** test runners that are told to run these files only; an empty name for all of them */
  runs: Fact[];
  /** what is left out of the tests or the rules, item by item */
  excluded: Fact[];
  /** what is taken in */
  included: Fact[];
  /** switches of strictness that are on, and rules by rank: 0 off, 1 warns, 2 fails */
  rules: Fact[];
};

const THRESHOLD =
  /["']?(?:--)?\b(lines|branches|functions|statements|fail[_-]under|cov-fail-under|(?:test-)?coverage[.\w-]*?(?:lines|branches|functions|statements|threshold)|thresholds?\.\w+|coverageThreshold|min(?:imum)?[_-]?coverage|target)["']?\s*[:=\s]\s*["']?(\d+(?:\.\d+)?)/g;
const TIMEOUT =
  /["']?(?:--?)?\b(\w*[tT]imeout\w*|slowTestThreshold|timeout-minutes)["']?\s*[:=(\s]\s*["']?(\d[\d_]*)/g;
const RETRY =
  /["']?(?:--)?\b(retr(?:y|ies)|retryTimes|reruns|flaky\w*|max_?[rR]etries|test-retries)["']?\s*[:=(\s]\s*["']?(\d+)/g;
const TOOL =
  /\b(vitest|jest|mocha|ava|tap|node (?:\S+ )*--test|bun test|deno test|pytest|unittest|tox|nox|cargo (?:test|nextest|clippy|check|fmt|build)|go (?:test|vet|build)|golangci-lint|staticcheck|tsc|vue-tsc|eslint|oxlint|biome|ruff|mypy|pyright|flake8|pylint|black|prettier|oxfmt|knip|playwright|cypress|(?:npm|pnpm|yarn|bun) (?:run )?(?:test|lint|types?|typecheck|check|build)[\w:-]*|npm t\b|nightshift gate|make (?:test|lint|check)\w*)\b/g;
/** The same, to ask whether there is one. */
const TOOLS = new RegExp(TOOL.source);
/** A line that is for the whole script. */
const BARE = /^\s*(?:set|exit|trap)\b/;
/** What a test runner is told to run, up to the end of its command. */
const RUNS =
  /\b(vitest(?: run)?|jest|mocha|node (?:\S+ )*--test|bun test|deno test|pytest|python3? -m (?:pytest|unittest)|go test|cargo test|playwright test|npm test|npm run test\S*)((?: [^&|;"'\n]*)?)/g;
const SWALLOWED: RegExp[] = [
  /\|\|\s*(?:true|:|\/bin\/true|exit\s+0|echo\b.*|printf\b.*|return 0)/,
  /;\s*(?:exit\s+0|true)\s*["']?\s*[,;]?\s*$/,
  /\bset\s+\+(?:e|o\s+(?:errexit|pipefail))/,
  /^\s*exit\s+0\b/,
  /\bcontinue-on-error["']?\s*:\s*["']?(?:true|\$\{\{)/,
  /\ballow_failure["']?\s*:\s*true|\bsoft_fail["']?\s*:\s*true|\bignore_outcome\s*=\s*true|\bignore_errors?\s*:\s*(?:true|yes)/,
  /--?(?:passWithNoTests|pass-with-no-tests|exit-zero|no-error-on-unmatched-pattern|suppress-no-test-exit-code|issues-exit-code[= ]0|exit-code[= ]0|no-fail\w*)\b/,
  /\bpassWithNoTests["']?\s*[:=]\s*true/,
  /\bif["']?\s*:\s*["']?(?:false|\$\{\{\s*false)/,
  /\btrap\s+["']?(?:exit\s+0|true)\b/,
  /^\t@?-\s*\w/,
  /dangerouslyIgnoreUnhandledErrors["']?\s*:\s*true/,
];
const SHELL_STRICT = [/\bset\s+-\w*e/, /\bset\s+-\w*\s*\w*\s*pipefail\b/];
const SWITCH =
  /["']?\b(strict\w*|no[A-Z]\w*|exactOptional\w*|alwaysStrict|checkJs|disallow_\w+|warn_\w+|check_untyped_defs|no_implicit_\w+|forbidOnly|bail|allowOnly|skipLibCheck|ignore_errors|ignore_missing_imports|autotests|test|harness|enabled)["']?\s*[:=]\s*(true|false|True|False)\b/g;
/** Switches that are strict when they are off. */
const INVERTED = /^(?:noEmit\w*|noCheck|noLib|allowOnly|skipLibCheck|ignore_\w+|no[A-Z]\w*Check)$/;
const RULE = /["']?([@\w][\w@/-]*)["']?\s*[:=]\s*\[?\s*["'](error|deny|forbid|warn|off|allow|block)["']/g;
const RANK: Record<string, number> = { error: 2, deny: 2, forbid: 2, block: 2, warn: 1, off: 0, allow: 0 };
const EXCLUDES =
  /["']?\b(exclude\w*|testPathIgnorePatterns|coveragePathIgnorePatterns|modulePathIgnorePatterns|ignorePatterns|ignores?|norecursedirs|omit|extend-ignore|per-file-ignores|disable|skip|deselect)["']?\s*[:=]/;
const INCLUDES =
  /["']?\b(include|testMatch|testRegex|testpaths|python_files|python_functions|python_classes|spec)["']?\s*[:=]/;
const FLAGS =
  /(?:^|[\s"'])(--(?:ignore(?:-glob|-pattern)?|deselect|exclude|testNamePattern|testPathIgnorePatterns|test-name-pattern|test-skip-pattern|skip|grep|invert|run|filter|lib|bins?|doc)|-(?:k|m|t|g|run|skip|short))(?:[= ]("[^"]*"|'[^']*'|\\"[^"]*\\"|\S*)|(?=["'\s]|$))/g;
const HARMLESS = /node_modules|^\.?\/?(?:dist|build|coverage|out|target|\.venv|venv|vendor)\b/;

const all = (pattern: RegExp, text: string): RegExpMatchArray[] => [...text.matchAll(pattern)];

/** The strings and words of a list that begins on this line, up to its closing bracket. */
const itemsFrom = (lines: readonly string[], at: number, key: RegExp): string[] => {
  const line = lines[at] ?? "";
  let text = line.slice((key.exec(line)?.index ?? 0) + (key.exec(line)?.[0].length ?? 0));
  for (let next = at + 1; /\[[^\]]*$/.test(text) && next < Math.min(lines.length, at + 60); next++)
    text += `\n${lines[next]}`;
  const isList = text.trimStart().startsWith("[");
  const list = isList ? text.slice(0, text.indexOf("]") < 0 ? text.length : text.indexOf("]")) : text;
  const strings = [...list.matchAll(/(["'])((?:\\.|(?!\1).)*)\1|\/((?:\\.|[^/\n])+)\/\w*/g)].map(
    (match) => match[2] ?? match[3] ?? "",
  );
  if (strings.length > 0 || isList) return strings.filter((item) => item !== "");
  // An ini file names them by words, and by lines that are indented.
  const more: string[] = [];
  for (let next = at + 1; /^\s+\S/.test(lines[next] ?? "") && !/[:=]/.test(lines[next] ?? ""); next++)
    more.push(lines[next] ?? "");
  return /^[^{]*$/.test(text)
    ? `${text} ${more.join(" ")}`.split(/[\s,]+/).filter((item) => item !== "" && !/^[[{}\]-]+$/.test(item))
    : [];
};

/** Comments between slashes and stars become space; their lines stay. */
const withoutBlocks = (text: string): string => {
  let kept = "";
  let at = 0;
  for (let open = text.indexOf("/*"); open >= 0; open = text.indexOf("/*", at)) {
    const close = text.indexOf("*/", open + 2);
    if (close < 0) break;
    // `"src/**/*.ts"` begins no comment.
    const isQuoted = /["'`][^"'`\n]*$/.test(text.slice(text.lastIndexOf("\n", open) + 1, open));
    const comment = text.slice(open, close + 2);
    kept += text.slice(at, open) + (isQuoted ? "/*" : comment.replaceAll(/[^\n]/g, " "));
    at = isQuoted ? open + 2 : close + 2;
  }
  return kept + text.slice(at);
};

const withoutComments = (text: string, file: string): string[] => {
  const isSlashed = /\.(?:[cm]?[jt]sx?|jsonc?)$/.test(file) || /\.\w+rc$/.test(file);
  return (isSlashed ? withoutBlocks(text) : text)
    .split("\n")
    .map((line) =>
      isSlashed ? line.replace(/(^|[\s,;{])\/\/(?!\S*["']).*$/, "$1") : line.replace(/(^|\s)#(?!!).*$/, "$1"),
    );
};

/** What a settings file says about how strict the checks are. */
export const readSettings = (file: string, text: string): Settings => {
  const found: Settings = {
    thresholds: [],
    timeouts: [],
    retries: [],
    swallowed: [],
    tools: [],
    runs: [],
    excluded: [],
    included: [],
    rules: [],
  };
  const isManifest = file.endsWith("package.json");
  const isGate = isGateFile(file) || /\.(?:[cm]?[jt]s|json|toml|cfg|ini)$/.test(file);
  const hasTools = TOOLS.test(text);
  const isShell =
    /\.(?:sh|bash|zsh)$/.test(file) || /(?:^|\/)(?:gates|\.husky|\.githooks|hooks)\//.test(file);
  const lines = withoutComments(text, file).map((line) =>
    // The version of a tool is no call of it.
    isManifest &&
    /^\s*"[@\w./-]+"\s*:\s*"(?:[\^~><=*]|\d|workspace:|file:|link:|npm:|git|latest|next)/.test(line)
      ? ""
      : line,
  );
  for (const [index, content] of lines.entries()) {
    const line = index + 1;
    const add = (list: Fact[], name: string, value = 0, own = content.trim()): void =>
      void list.push({ name, text: own, value, line });
    for (const match of all(THRESHOLD, content)) add(found.thresholds, match[1] ?? "", Number(match[2]));
    for (const match of all(TIMEOUT, content))
      add(found.timeouts, match[1] ?? "", Number((match[2] ?? "").replaceAll("_", "")));
    for (const match of all(RETRY, content)) add(found.retries, match[1] ?? "", Number(match[2]));
    for (const match of all(TOOL, content))
      add(found.tools, (match[1] ?? "").replace(/^node .*--test/, "node --test"));
    for (const match of all(RUNS, content)) {
      const named = (match[2] ?? "")
        .split(/\s+/)
        .filter(
          (word) =>
            /^[^-].*(?:\/|\.\w+$|::|\*)/.test(word) && !/^(?:\.|\.\/|\.\/\.\.\.|\$@|\$\*|\d>.*)$/.test(word),
        );
      add(found.runs, named.join(" "), 0, content.trim());
    }
    const isAboutChecks = isGate || TOOLS.test(content) || (hasTools && BARE.test(content));
    if (isAboutChecks && SWALLOWED.some((pattern) => pattern.test(content))) add(found.swallowed, "");
    for (const [index, pattern] of SHELL_STRICT.entries())
      if (pattern.test(content)) add(found.rules, index === 0 ? "set -e" : "pipefail", 2);
    for (const match of all(SWITCH, content)) {
      const isOn = /true/i.test(match[2] ?? "");
      add(found.rules, match[1] ?? "", isOn === INVERTED.test(match[1] ?? "") ? 0 : 2);
    }
    for (const match of all(RULE, content)) add(found.rules, match[1] ?? "", RANK[match[2] ?? ""] ?? 2);
    for (const match of TOOLS.test(content) || /addopts/i.test(content) ? all(FLAGS, content) : []) {
      if (
        match[1] === "-m" &&
        /-m (?:pytest|unittest|mypy|ruff|pip|venv|build|coverage|flake8|black)/.test(content) &&
        !/-m\s+["']/.test(content)
      )
        continue;
      add(found.excluded, match[1] ?? "", 0, `${match[1]} ${match[2] ?? ""}`);
    }
    for (const [pattern, list] of [
      [EXCLUDES, found.excluded],
      [INCLUDES, found.included],
    ] as const)
      if (pattern.test(content) && !isShell)
        for (const item of itemsFrom(lines, index, pattern))
          if (list === found.included || !HARMLESS.test(item))
            add(list, pattern.exec(content)?.[1] ?? "", 0, item);
  }
  return found;
};
