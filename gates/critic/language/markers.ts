/**
 * Pieces of code and command line that mean something to a rule wherever they stand. Each becomes one word
 * of the sentence, so that "add `it.skip` to both" and "it.skip on both" read the same.
 */
export type Marker =
  | "SKIPMARK"
  | "SKIPGUARD"
  | "NOVERIFY"
  | "SKIPCI"
  | "SKIPFLAG"
  | "SNAPUPDATE"
  | "SWALLOW"
  | "REPOCREATE"
  | "LOOSE"
  | "runtests"
  | "testfile";

const OUTSIDE = String.raw`(?:\.\.\/|~\/|\/(?!tmp\b)[a-z])[\w./-]*`;
const INIT = String.raw`(?:git init|(?:npm|yarn|pnpm|bun|uv|poetry|cargo|go mod|composer|deno) init)`;

/** A marker, the texts of which one must be there, and its expression over the text in lower case. */
type MarkerRule = [marker: Marker, triggers: readonly string[], expression: () => RegExp];

/*
 * The expressions are long, and most texts hold none of this: a plain look for a trigger is far cheaper. In lower
 * case, because an expression that has to ignore case takes several times as long to compile.
 */
const MARKERS: readonly MarkerRule[] = [
  [
    "REPOCREATE",
    [
      "gh repo ",
      "glab ",
      "hub create",
      "tea repo",
      "az repos",
      "heroku ",
      "fly",
      "codecommit",
      "startproject",
      "serverless ",
      "sls ",
      "sam ",
      "cdk ",
      "wrangler init",
      "func init",
      "gcloud run",
    ],
    () =>
      /\b(?:gh repo (?:create|fork --clone)|glab (?:repo|project) create|hub create|tea repos? create|az repos create|heroku (?:apps:)?create|fly(?:ctl)? (?:launch|apps create)|aws codecommit create-repository|django-admin startproject|(?:serverless|sls|sam|cdk) (?:create|init)|wrangler init|func init|gcloud run deploy \S*new)\b/g,
  ],
  ["REPOCREATE", ["gh api"], () => /\bgh api\b[^\n]*?(?:\buser|\borgs\/[\w-]+)\/repos\b[^\n]*/g],
  [
    "REPOCREATE",
    ["api.github.com/", "/api/v"],
    () =>
      /(?:\bpost\b[^\n]*?|curl[^\n]*?)(?:api\.github\.com\/(?:user|orgs\/[\w-]+)\/repos|\/api\/v\d\/projects)\b[^\n]*/g,
  ],
  ["REPOCREATE", [" init"], () => new RegExp(String.raw`\b${INIT}\s+(?:-\w+\s+)*${OUTSIDE}`, "g")],
  ["REPOCREATE", [" init"], () => new RegExp(String.raw`\b${INIT}(?:\s+-\w+)*\s+in\s+${OUTSIDE}`, "g")],
  [
    "REPOCREATE",
    [" init"],
    () => new RegExp(String.raw`\b(?:mkdir|cd)\b[^\n;]*?(?:&&|;|\bthen\b)\s*${INIT}\b`, "g"),
  ],
  [
    "REPOCREATE",
    [" new", " create", " init", "npx create-", ".new", "cookiecutter"],
    () =>
      new RegExp(
        String.raw`\b(?:cargo (?:new|init)|rails new|ng new|dotnet new \w+|nest new|npx create-[\w-]+|npm create [\w@-]+|npm init [\w@-]+|bun create [\w-]+|flutter create|mix (?:phx\.)?new|laravel new|cookiecutter)\b[^\n,.;]*?(?:\s-\S+)*\s+${OUTSIDE}`,
        "g",
      ),
  ],
  [
    "REPOCREATE",
    ["git init"],
    () => /\bgit init\b(?= (?!in )[\w-]+-[\w-]+)|\bgit init\b(?=\s*(?:\S+-\S+)?(?:$|[`,;.&\n]))/g,
  ],
  [
    "SKIPGUARD",
    ["skipif", "skipunless", ".runif"],
    () =>
      /\b(?:it|test|describe|t)\.(?:skipif|runif)\b(?:\([^)\n]*\))?|\bskip(?:if|unless)\b(?:\([^)\n]*\))?/g,
  ],
  [
    "SKIPMARK",
    [
      ".skip",
      ".fixme",
      ".todo",
      "xit",
      "xdescribe",
      "xtest",
      "xspecify",
      "xcontext",
      "@pytest",
      "@ignore",
      "@disabled",
      "@unittest",
      "@skip",
      "@pending",
      "@test(",
      "#[ignore",
      "pytest.",
      "skiptest",
      "xfail",
      "mark ",
      "marked ",
    ],
    () =>
      /(?:\b(?:it|test|describe|context|suite|scenario)\.(?:skip|fixme|todo)\b(?:\.each)?|\bx(?:it|describe|test|specify|context)\b(?:\s*\(\s*['"]?|\(\))?|@(?:pytest\.mark\.(?:skip|xfail)|ignored?\b|disabled|unittest\.(?:skip|expectedfailure)|skip\b|pending\b|test\(enabled ?= ?false\))(?:\([^)\n]*\))?|#\[ignore\]|\bt\.skip(?:now|f)?\b(?:\([^)\n]*\))?|\bpytest\.(?:mark\.)?(?:skip|xfail)\b|\bself\.skiptest\b|(?<=[\s`'"])\.skip\b|\bstrict_xfail\b|\bmark(?:ed)? (?:it |them |both |these |those |as )*(?:as )?(?:pending|skipped|todo)\b)/g,
  ],
  [
    "NOVERIFY",
    [" -", "`-n"],
    () =>
      /\bgit commit\b[^\n;&|]*?\s-(?:n|[a-z]*n[a-z]*m|nm|an|anm)\b|(?<=\bcommit\w*\s(?:\w+\s){0,2}`?)-n\b/g,
  ],
  [
    "NOVERIFY",
    ["no-verify", "husky", "skip=", "lefthook=0", "allow_no_config", "hookspath"],
    () =>
      /--no-verify\b|\bhusky(?:_skip_hooks)?=[01]\b|\bskip=[\w,-]+|\blefthook=0\b|\bpre_commit_allow_no_config=1|\bgit push\b[^\n;&|]*--no-verify|core\.hookspath[= ]\/dev\/null/g,
  ],
  [
    "SKIPCI",
    ["[", "no_ci", "skip-checks", "ci.skip"],
    () =>
      /\[\s*(?:skip[ -]ci|ci[ -]skip|no[ -]ci|skip[ -]actions|actions[ -]skip|skip[ -]tests?)\s*\]|\*\*\*no_ci\*\*\*|\bskip-checks: ?true\b|-o ci\.skip\b|\bci\.skip\b/g,
  ],
  [
    "SKIPFLAG",
    [
      "-dskip",
      "-dmaven",
      "-x ",
      "--skip",
      "--no",
      "--without",
      "--exclude",
      "skip_",
      "skiptest",
      "skipe2e",
      "skipcheck",
      "no_test",
      "notest",
      "--deselect",
      "--ignore",
    ],
    () =>
      /-dskip(?:its|tests?|integrationtests)?\b(?:=true)?|-dmaven\.test\.skip\b(?:=true)?|(?<=\s)-x (?:test|check|integrationtest)\b|--(?:skip|no|without|exclude)[-_]?(?:unit-)?(?:tests?|e2e|checks?)\b|--exclude-task[= ]test|\bskip_?(?:tests?|e2e|checks?)=(?:1|true|yes)|\bno_?tests?=(?:1|true)|--nocheck\b|--deselect\b(?:[ =]\S+)?|skip_tests=1|--ignore=\S*test\S*/g,
  ],
  [
    "SNAPUPDATE",
    ["-u", "--snapshot-update", "--force-regen", "--accept", "update_", "insta "],
    () =>
      /\b(?:npx |yarn |pnpm )?(?:jest|vitest|npm (?:run )?test|yarn test|pnpm test|playwright test|pytest)\b[^\n;&|,.`]*?\s(?:-u|--update(?:-?snapshots?)?|--snapshot-update|--force-regen|--accept)\b|--update-?snapshots?\b|--snapshot-update\b|\bupdate_(?:snapshots?|goldens?|expect)=(?:1|true)|\bcargo insta (?:accept|test --accept)|(?<=golden\S*\s)-update\b|\bgo test\b[^\n;&|]*-update\b/g,
  ],
  [
    "SWALLOW",
    [
      "||",
      "continue-on",
      "continue_on",
      "allow-failure",
      "allow_failure",
      "if:",
      "passwithnotests",
      "exit-zero",
      "exit 0",
      "echo ",
      "true",
      "set +e",
      "continueonerror",
      "testfailureignore",
      "ignorefailures",
      "failon",
      "fail-on",
      "fail_on",
      "fail_ci",
      ".exit(0)",
      "testpathignore",
      'test":',
    ],
    () =>
      /\|\|\s*(?:true|:|exit 0|echo\b)|\bcontinue[-_]on[-_]error\s*[:=]?\s*(?:to )?true\b|\ballow[-_]failure\s*[:=]?\s*(?:to )?true\b|\bif:\s*(?:\$\{\{\s*)?false\b|--passwithnotests\b|--exit-zero\b|\bexit 0\b|\becho ["']?(?:ok|pass(?:ed)?|skip\w*|done)\b|;\s*true\b|\bset \+e\b|\bcontinueonerror\b|\btestfailureignore\b|\bignorefailures\b|\bfail[-_]?on[-_]?error\b|\bfail_ci_if_error\b|\bprocess\.exit\(0\)|\bsys\.exit\(0\)|\btestpathignorepatterns\b|"(?:pre)?test":\s*"(?:true|:|exit 0|echo[^"]*)?"/g,
  ],
  [
    "LOOSE",
    ["expect.any", "tobetruthy", "tobedefined", "assert true", "expect(true)", "asserttrue", "assert_true"],
    () =>
      /\bexpect\.anything\b|\btobe(?:truthy|defined)\b|\bassert true\b|\bexpect\(true\)\.tobe\(true\)|\bassert_?true\(true\)|\bexpect\.any\(/g,
  ],
  [
    "runtests",
    [
      "npm ",
      "yarn test",
      "bun test",
      "cargo ",
      "go test",
      "mvn ",
      "gradle",
      "make test",
      "make check",
      "npx ",
      "vitest",
      "jest",
      "tox",
      "nox",
      "ctest",
      "phpunit",
      "rspec",
      "dotnet test",
      "mix test",
      "rake test",
      "python -m ",
    ],
    () =>
      /\b(?:npm (?:run )?(?:test|t)\b(?::[\w-]+)?|yarn test|pnpm (?:run )?test|bun test|cargo (?:nextest run|test)|go test(?: \.\/\.\.\.)?|mvn (?:clean )?(?:test|verify)|\.?\/?gradlew? (?:test|check)|make (?:test|check)|npx (?:vitest|jest|playwright test|cypress run)(?: run)?|vitest(?: run)?\b(?!\.config| (?:file|tests?|specs?|cases?))|jest\b(?!\.config| (?:file|tests?|specs?|cases?))|tox\b|nox\b|ctest\b|phpunit|bundle exec rspec|dotnet test|mix test|rake test|python -m (?:pytest|unittest))/g,
  ],
];

const testFile = (): RegExp =>
  /(?<![\w./-])[\w./*-]*(?:\/|\b)(?:tests?|specs?|__tests__|e2e)\/[\w./*-]+|\b[\w/*-]+(?:[._-](?:tests?|spec))(?:\.\w+)+\b|\b(?:[\w-]+\/)*test_\w+(?:\.py)?\b|\b[\w/]+_(?:test|spec)\.\w+\b|\btest[A-Z]\w{3,}\b|\bTest[A-Z]\w{3,}\b|\b[A-Z]\w+(?:IT|Test|Tests|Spec)\b/g;
const TEST_FILE_PARTS = [
  "test/",
  "tests/",
  "spec/",
  "specs/",
  "tests__/",
  "e2e/",
  ".test",
  "-test",
  "_test",
  ".spec",
  "-spec",
  "_spec",
  "test_",
];

/** A capital behind another character of a word, as in `userTest`. */
const hasInnerCapital = (text: string, lower: string): boolean => {
  for (let i = 1; i < text.length; i += 1)
    if (text[i] !== lower[i] && /\w/.test(text[i - 1] ?? "")) return true;
  return false;
};

export type Marked = { marker: Marker; start: number; end: number };

const includesAny = (text: string, parts: readonly string[]): boolean => {
  for (const part of parts) if (text.includes(part)) return true;
  return false;
};

const addMatches = (found: Marked[], marker: Marker, text: string, expression: RegExp): void => {
  for (const match of text.matchAll(expression)) {
    const start = match.index;
    const end = start + match[0].length;
    if (match[0] === "" || found.some((other) => start < other.end && other.start < end)) continue;
    found.push({ marker, start, end });
  }
};

/** In lower case, with every character in its place. */
const lowerInPlace = (text: string): string => {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
};

/** Every marker in the text, in order, none overlapping; the first kind listed wins a place. */
export const findMarkers = (text: string): Marked[] => {
  const found: Marked[] = [];
  const lower = lowerInPlace(text);
  for (const [marker, triggers, expression] of MARKERS)
    if (includesAny(lower, triggers)) addMatches(found, marker, lower, expression());
  if (includesAny(lower, TEST_FILE_PARTS) || hasInnerCapital(text, lower))
    addMatches(found, "testfile", text, testFile());
  return found.sort((a, b) => a.start - b.start);
};
