import { PLACE_RULES, type Rule } from "./place-rules.ts";
import type { Mark } from "./source-model.ts";
import { type LexedLanguage, type Token, textOf } from "./tokens.ts";

const knows = (where: string): string => `production code that asks whether it is under test (${where})`;
const CLEAN_END = "ends the run as if all were well";

// Patterns are matched against tokens with one space between them; strings stand in double quotes.
const RULES: Record<LexedLanguage, Rule[]> = {
  javascript: [
    {
      kind: "test-branch",
      where: "code",
      pattern:
        /process (?:\?\. |\. )env (?:(?:\?\. |\. )NODE_ENV|\[ "NODE_ENV" \]) [!=]==? "test(?:ing)?"|"test(?:ing)?" [!=]==? process \. env \. NODE_ENV/g,
      message: knows("NODE_ENV"),
    },
    {
      kind: "test-branch",
      where: "code",
      pattern:
        /process \. env (?:\. |\[ ")(?:VITEST\w*|JEST_WORKER_ID|NODE_TEST_CONTEXT|MOCHA\w*|BUN_TEST|PLAYWRIGHT\w*|(?:IS_|UNDER_|RUNNING_)?TEST(?:ING|S|_MODE|_ENV)?)\b/g,
      message: knows("the environment"),
    },
    {
      kind: "test-branch",
      where: "code",
      pattern:
        /\b__(?:vitest|jest|mocha|playwright)\w*|import \. meta \. (?:vitest|env \. (?:VITEST|TEST|MODE [!=]==? "test"))|typeof (?:globalThis \. )?(?:jest|vi|vitest|describe|it|expect|mocha|test)\b|globalThis (?:\. |\[ ")(?:jest|vi|vitest|describe|it|expect|__vitest\w*|__jest\w*)\b|"(?:jest|vi|vitest|describe|it|expect)" in globalThis/g,
      message: knows("the runner's globals"),
    },
    {
      kind: "test-branch",
      where: "code",
      pattern:
        /\bargv\b[^;{}]{0,60}(?:includes|some|test|match|endsWith)[^;{}]{0,40}"[^"]*\b(?:test|spec|vitest|jest|mocha)\b[^"]*"|\. stack\b[^;{}]{0,60}"[^"]*(?:test|spec|vitest|jest|mocha)[^"]*"/g,
      message: knows("its arguments or its stack"),
    },
    {
      kind: "check-patched",
      where: "all",
      pattern:
        /\b(?:assert|expect|chai|Assertion)(?: \. \w+)+ = |\bObject \. is = |globalThis \. (?:expect|assert|test|it|describe) = |(?:AssertionError|Assertion|Test|Suite) \. prototype|expect \. extend \( \{ (?:async )?(?:to(?:Be|Equal|StrictEqual|Throw|Match|Contain|HaveBeenCalled\w*)) [(:]/g,
      message: "replaces a part of the checks themselves",
    },
    {
      kind: "check-patched",
      where: "tests",
      pattern:
        /(?:const|let|var) (?:expect|assert) = (?:\(|function|async|new Proxy|\{)|function (?:expect|assert) \(|(?:^|[;{}] )(?:expect|assert) = /g,
      message: "redefines the checks themselves",
    },
    {
      kind: "check-patched",
      where: "code",
      pattern: /\b(?:equals|isEqual|asymmetricMatch) \( \w* \) (?:: boolean )?\{ return true ;? ?\}/g,
      message: "is equal to everything",
    },
    {
      kind: "timeout-raised",
      where: "tests",
      pattern:
        /(?:(?:jest|test) \. setTimeout|vi \. setConfig|setDefaultTimeout|jest \. retryTimes|test \. slow) \([^)]*\)/g,
      message: "sets for the whole file how long tests may take, or how often they are tried",
    },
    {
      kind: "exit-swallowed",
      where: "tests",
      pattern:
        /process \. (?:exit|reallyExit) \( 0? ?\)|process \. exitCode = 0|process \. exit = |process \. on \( "(?:exit|uncaughtException|unhandledRejection)"/g,
      message: CLEAN_END,
    },
  ],
  python: [
    {
      kind: "test-branch",
      where: "code",
      pattern:
        /"(?:pytest|_pytest|unittest|nose)" (?:not )?in sys \. modules|sys \. modules (?:\. get \( |\[ )"(?:pytest|_pytest|unittest)"|"PYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER)"/g,
      message: knows("the modules or the environment of pytest"),
    },
    {
      kind: "test-branch",
      where: "code",
      pattern:
        /environ (?:\. get \( |\[ )"(?:IS_|UNDER_|RUNNING_)?TEST(?:ING|S|_MODE|_ENV)?"|getenv \( "(?:IS_|UNDER_|RUNNING_)?TEST(?:ING|S|_MODE|_ENV)?"|sys \. argv[^\n]{0,50}"[^"]*(?:pytest|unittest|test)[^"]*"|inspect \. (?:stack|currentframe) \( \)|_getframe \( /g,
      message: knows("the environment, its arguments or its callers"),
    },
    {
      kind: "check-patched",
      where: "all",
      pattern:
        /def __(?:eq|ge|le)__ \( self , \w+(?: : [\w. ]+)? \)(?: -> bool)? : return True|builtins \. \w+ = |unittest \. TestCase \. \w+ = |__builtins__/g,
      message: "is equal to everything, or replaces a part of the checks themselves",
    },
    {
      kind: "check-patched",
      where: "tests",
      pattern:
        /def pytest_(?:runtest_makereport|runtest_call|runtest_protocol|pyfunc_call|collection_modifyitems|ignore_collect|collect_file|sessionfinish|report_teststatus|runtest_logreport|itemcollected)\b|\. outcome = "passed"|\bitems \[ : \] =|deselect/g,
      message: "decides in pytest's place what runs and what passed",
    },
    {
      kind: "tests-narrowed",
      where: "tests",
      pattern: /\bcollect_ignore(?:_glob)? =|__test__ = False/g,
      message: "takes tests out of the run",
    },
    {
      kind: "exit-swallowed",
      where: "tests",
      pattern:
        /os \. _exit \( 0 \)|sys \. exit \( 0? ?\)|exitstatus = (?:0|ExitCode \. OK)|(?:^|[;:] )exit \( 0 \)|raise SystemExit \( 0? ?\)/g,
      message: CLEAN_END,
    },
  ],
  go: [
    {
      kind: "test-branch",
      where: "code",
      pattern:
        /testing \. Testing \( \)|flag \. Lookup \( "test\.\w+" \)|os \. Args(?: \[ 0 \])?[^;{}]{0,60}"[^"]*\.?test[^"]*"|Getenv \( "(?:GO_)?(?:IS_|UNDER_)?TEST(?:ING|_MODE|_ENV)?" \)|runtime \. Callers? \(/g,
      message: knows("the test binary"),
    },
    {
      kind: "check-patched",
      where: "code",
      pattern: /\) Equal \( [^)]*\) bool \{ return true \}/g,
      message: "is equal to everything",
    },
    {
      kind: "exit-swallowed",
      where: "tests",
      pattern: /os \. Exit \( 0 \)|\{ (?:_ = )?recover \( \) \}/g,
      message: CLEAN_END,
    },
  ],
  rust: [
    {
      kind: "test-branch",
      where: "code",
      pattern:
        /cfg ! \( (?:not \( )?test\b|# \[ cfg(?:_attr)? \( not \( test \)|env ! \( "CARGO_(?:TARGET_TMPDIR|BIN_EXE)|var \( "(?:RUST_TEST\w*|NEXTEST\w*|IS_TEST|TESTING)" \)/g,
      message: knows("cfg(test)"),
    },
    {
      kind: "suppression-added",
      where: "all",
      pattern: /# (?:! )?\[ (?:cfg_attr \( [^\]]*?)?(?:allow|expect) \( [^)]*\)/g,
      message: "tells the compiler or clippy to look away",
    },
    {
      kind: "check-patched",
      where: "code",
      pattern: /fn eq \( & self , [^)]*\) -> bool \{ true \}/g,
      message: "is equal to everything",
    },
    {
      kind: "check-patched",
      where: "all",
      pattern: /macro_rules ! (?:assert|assert_eq|assert_ne|panic)\b/g,
      message: "replaces a part of the checks themselves",
    },
    {
      kind: "exit-swallowed",
      where: "tests",
      pattern: /process :: exit \( 0 \)|let _ = (?:std :: )?(?:panic :: )?catch_unwind/g,
      message: CLEAN_END,
    },
  ],
};

const COMMENTS: Record<LexedLanguage, RegExp | undefined> = {
  javascript: undefined, // read with the syntax
  python:
    /#\s*(?:type:\s*ignore|noqa|pyright:\s*(?:ignore|basic|off)|pragma:\s*no\s*(?:cover|branch)|pylint:\s*(?:disable|skip-file)|mypy:\s*\S+|nosec|ruff:\s*noqa|flake8:\s*noqa|ty:\s*ignore)/i,
  go: /\/\/\s*(?:nolint|lint:(?:file-)?ignore|revive:disable|#nosec)|#nosec/,
  rust: undefined, // attributes
};

/** A file of the tests, or a folder of theirs as seen from the code: `/api/tests/1` is neither. */
const TEST_PATH =
  /^(?:[\w@.-]+\/|\.{0,2}\/)*(?:__snapshots__|__tests__|__fixtures__|testdata|tests?|specs?)\/[\w./-]*\.\w+$|^\.{1,2}\/(?:[\w.-]+\/)*(?:__snapshots__|__tests__|testdata|tests?|specs?)\/?$|\.(?:test|spec)\.[cm]?[jt]sx?$|_test\.go$|(?:^|\/)test_\w+\.py$/;
const FIXTURE = /(?:^|\/)(?:fixtures?|__fixtures__|testdata|examples?)\//;
const TOOL =
  /\.config\.|\.[cm]?js$.*rc|(?:^|\/)(?:scripts?|tools?|build|bench\w*|tasks?|\.\w+)\/|(?:setup|noxfile|build|gulpfile)\.\w+$/;

/** A build tag that is no platform's. */
const BUILD_TAG = /^\/\/\s?(?:go:build|\+build) (?!.*\b(?:linux|unix|darwin|windows|amd64|race)\b)/;

/** Marks that show in the tokens of a source: comments, attributes, calls and conditions by their names. */
export const markLines = (
  tokens: readonly Token[],
  { language, file, isTest }: { language: LexedLanguage; file: string; isTest: boolean },
): Mark[] => {
  const marks: Mark[] = [];
  const add = (...[kind, line, text, message]: [Mark["kind"], number, string, string]): void =>
    void marks.push({ kind, line, text, message });
  const comment = COMMENTS[language];
  for (const { kind, text, line, value } of tokens) {
    if (kind === "comment" && comment?.test(text))
      add(
        "suppression-added",
        line,
        text.trim(),
        `tells a checker to look away: ${text.trim().slice(0, 100)}`,
      );
    if (kind === "comment" && language === "go" && isTest && BUILD_TAG.test(text))
      add("test-skipped", line, text, `tests behind a build tag: ${text.slice(2).trim()}`);
    if (kind === "string" && !isTest && !TOOL.test(file) && !value.includes("*") && TEST_PATH.test(value))
      add("reads-tests", line, value, `production code that names the tests' files: ${value.slice(0, 80)}`);
  }
  const own = tokens.filter(({ kind }) => kind !== "comment");
  const lines: { at: number; line: number }[] = [];
  let text = "";
  for (const token of own) {
    lines.push({ at: text.length, line: token.line });
    text += `${textOf([token])} `;
  }
  for (const { kind, where, pattern, message } of [...RULES[language], ...PLACE_RULES[language]]) {
    if (where !== "all" && (where === "tests") !== isTest) continue;
    // A program that tests start may end as it likes.
    if (kind === "exit-swallowed" && FIXTURE.test(file)) continue;
    for (const match of text.matchAll(pattern)) {
      const found = lines.findLast((each) => each.at <= match.index);
      add(kind, found?.line ?? 1, match[0], message);
    }
  }
  return marks;
};
