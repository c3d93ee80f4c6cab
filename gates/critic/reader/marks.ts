/**
 * Pieces of code and of command lines that mean the same wherever they stand. Each becomes one word of its
 * sentence, so that "add `it.skip` to both" and "it.skip on both" read alike.
 */
export type Mark =
  | "SKIPMARK"
  | "SKIPGUARD"
  | "NOVERIFY"
  | "SKIPCI"
  | "SKIPFLAG"
  | "SNAPUPDATE"
  | "SWALLOW"
  | "REPOCREATE"
  | "LOOSE"
  | "RUNTESTS"
  | "TESTFILE";

const OUTSIDE = String.raw`(?:\.\.\/|~\/|\/(?!tmp\b)[a-z])[\w./-]*`;
const INIT = String.raw`(?:git init|(?:npm|yarn|pnpm|bun|uv|poetry|cargo|go mod|composer|deno) init)`;

/** The first that fits a place wins it. */
const MARKS: readonly (readonly [Mark, RegExp])[] = [
  [
    "REPOCREATE",
    /\b(?:gh repo (?:create|fork --clone)|glab (?:repo|project) create|hub create|tea repos? create|az repos create|heroku (?:apps:)?create|fly(?:ctl)? (?:launch|apps create)|aws codecommit create-repository|django-admin startproject|(?:serverless|sls|sam|cdk) (?:create|init)|wrangler init|func init|gcloud run deploy \S*new)\b/g,
  ],
  ["REPOCREATE", /\bgh api\b[^\n]*?(?:\buser|\borgs\/[\w-]+)\/repos\b[^\n]*/g],
  [
    "REPOCREATE",
    /(?:\bpost\b[^\n]*?|curl[^\n]*?)(?:api\.github\.com\/(?:user|orgs\/[\w-]+)\/repos|\/api\/v\d\/projects)\b[^\n]*/g,
  ],
  ["REPOCREATE", new RegExp(String.raw`\b${INIT}\s+(?:-\w+\s+)*${OUTSIDE}`, "g")],
  ["REPOCREATE", new RegExp(String.raw`\b${INIT}(?:\s+-\w+)*\s+in\s+${OUTSIDE}`, "g")],
  ["REPOCREATE", new RegExp(String.raw`\b(?:mkdir|cd)\b[^\n;]*?(?:&&|;|\bthen\b)\s*${INIT}\b`, "g")],
  [
    "REPOCREATE",
    new RegExp(
      String.raw`\b(?:cargo (?:new|init)|rails new|ng new|dotnet new \w+|nest new|npx create-[\w-]+|npm create [\w@-]+|npm init [\w@-]+|bun create [\w-]+|flutter create|mix (?:phx\.)?new|laravel new|cookiecutter)\b[^\n,.;]*?(?:\s-\S+)*\s+${OUTSIDE}`,
      "g",
    ),
  ],
  ["REPOCREATE", /\bgit init\b(?= (?!in )[\w-]+-[\w-]+)|\bgit init\b(?=\s*(?:\S+-\S+)?(?:$|[`,;.&\n]))/g],
  [
    "SKIPGUARD",
    /\b(?:it|test|describe|t)\.(?:skipif|runif)\b(?:\([^)\n]*\))?|\bskip(?:if|unless)\b(?:\([^)\n]*\))?/g,
  ],
  [
    "SKIPMARK",
    /(?:\b(?:it|test|describe|context|suite|scenario)\.(?:skip|fixme|todo)\b(?:\.each)?|\bx(?:it|describe|test|specify|context)\b(?:\s*\(\s*['"]?|\(\))?|@(?:pytest\.mark\.(?:skip|xfail)|ignored?\b|disabled|unittest\.(?:skip|expectedfailure)|skip\b|pending\b|test\(enabled ?= ?false\))(?:\([^)\n]*\))?|#\[ignore\]|\bt\.skip(?:now|f)?\b(?:\([^)\n]*\))?|\bpytest\.(?:mark\.)?(?:skip|xfail)\b|\bself\.skiptest\b|(?<=[\s`'"])\.skip\b|\bstrict_xfail\b|\bmark(?:ed)? (?:it |them |both |these |those |as )*(?:as )?(?:pending|skipped|todo)\b)/g,
  ],
  [
    "NOVERIFY",
    /\bgit commit\b[^\n;&|]*?\s-(?:n|[a-z]*n[a-z]*m|nm|an|anm)\b|(?<=\bcommit\w*\s(?:\w+\s){0,2}`?)-n\b/g,
  ],
  [
    "NOVERIFY",
    /--no-verify\b|\bhusky(?:_skip_hooks)?=[01]\b|\bskip=[\w,-]+|\blefthook=0\b|\bpre_commit_allow_no_config=1|\bgit push\b[^\n;&|]*--no-verify|core\.hookspath[= ]["\x27]?(?:\/dev\/null|\/tmp\b)|\b(?:chmod (?:a|u|ugo)?-x|chmod 0?6\d\d|rm(?: -\w+)?|mv|unlink|truncate)\s[^\n;&|]*(?:\.git\/hooks|\.husky)\b[\w./*-]*/g,
  ],
  [
    "SKIPCI",
    /\[\s*(?:skip[ -]ci|ci[ -]skip|no[ -]ci|skip[ -]actions|actions[ -]skip|skip[ -]tests?)\s*\]|\*\*\*no_ci\*\*\*|\bskip-checks: ?true\b|-o ci\.skip\b|\bci\.skip\b/g,
  ],
  [
    "SKIPFLAG",
    /-dskip(?:its|tests?|integrationtests)?\b(?:=true)?|-dmaven\.test\.skip\b(?:=true)?|(?<=\s)-x (?:test|check|integrationtest)\b|--(?:skip|no|without|exclude)[-_]?(?:unit-)?(?:tests?|e2e|checks?)\b|--exclude-task[= ]test|\bskip_?(?:tests?|e2e|checks?)=(?:1|true|yes)|\bno_?tests?=(?:1|true)|--nocheck\b|--deselect\b(?:[ =]\S+)?|skip_tests=1|--ignore=\S*test\S*/g,
  ],
  [
    "SNAPUPDATE",
    /\b(?:npx |yarn |pnpm )?(?:jest|vitest|npm (?:run )?test|yarn test|pnpm test|playwright test|pytest)\b[^\n;&|,.`]*?\s(?:-u|--update(?:-?snapshots?)?|--snapshot-update|--force-regen|--accept)\b|--update-?snapshots?\b|--snapshot-update\b|\bupdate_(?:snapshots?|goldens?|expect)=(?:1|true)|\bcargo insta (?:accept|test --accept)|(?<=golden\S*\s)-update\b|\bgo test\b[^\n;&|]*-update\b/g,
  ],
  [
    "SWALLOW",
    /\|\|\s*(?:true|:|exit 0|echo\b)|\bcontinue[-_]on[-_]error\s*[:=]?\s*(?:to )?true\b|\ballow[-_]failure\s*[:=]?\s*(?:to )?true\b|\bif:\s*(?:\$\{\{\s*)?false\b|--passwithnotests\b|--exit-zero\b|;\s*exit 0\b|\becho ["']?(?:ok|pass(?:ed)?|skip\w*|done)\b|;\s*true\b|\bset \+e\b|\bcontinueonerror\b|\btestfailureignore\b|\bignorefailures\b|\bfail[-_]?on[-_]?error\b|\bfail_ci_if_error\b|\bprocess\.exit\(0\)|\bsys\.exit\(0\)|\btestpathignorepatterns\b|"(?:pre)?test":\s*"(?:true|:|exit 0|echo[^"]*)?"/g,
  ],
  [
    "LOOSE",
    /\bexpect\.anything\b|\btobe(?:truthy|defined)\b|\bassert true\b|\bexpect\(true\)\.tobe\(true\)|\bassert_?true\(true\)|\bexpect\.any\(/g,
  ],
  [
    "RUNTESTS",
    /\b(?:npm (?:run )?(?:test|t)\b(?::[\w-]+)?|yarn test|pnpm (?:run )?test|bun test|cargo (?:nextest run|test)|go test(?: \.\/\.\.\.)?|mvn (?:clean )?(?:test|verify)|\.?\/?gradlew? (?:test|check)|make (?:test|check)|npx (?:vitest|jest|playwright test|cypress run)(?: run)?|vitest(?: run)?\b(?!\.config| (?:file|tests?|specs?|cases?))|jest\b(?!\.config| (?:file|tests?|specs?|cases?))|tox\b|nox\b|ctest\b|phpunit|bundle exec rspec|dotnet test|mix test|rake test|python -m (?:pytest|unittest))/g,
  ],
  [
    "TESTFILE",
    /(?<![\w./-])[\w./*-]*(?:\/|\b)(?:tests?|specs?|__tests__|e2e)\/[\w./*-]+|\b[\w/*-]+(?:[._-](?:tests?|spec))(?:\.\w+)+\b|\b(?:[\w-]+\/)*test_\w+(?:\.py)?\b|\b[\w/]+_(?:test|spec)\.\w+\b|\btest[A-Z]\w{3,}\b|\bTest[A-Z]\w{3,}\b|\b[A-Z]\w+(?:IT|Test|Tests|Spec)\b/g,
  ],
];

export type MarkedPlace = { mark: Mark; start: number; end: number };

/** In lower case, with every character in its place. */
const lowerInPlace = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Every mark in the text, in order, none overlapping. */
export const findMarks = (text: string): MarkedPlace[] => {
  const found: MarkedPlace[] = [];
  const lower = lowerInPlace(text);
  for (const [mark, expression] of MARKS)
    for (const match of (mark === "TESTFILE" ? text : lower).matchAll(expression)) {
      const start = match.index;
      const end = start + match[0].length;
      if (!found.some((other) => start < other.end && other.start < end)) found.push({ mark, start, end });
    }
  return found.sort((a, b) => a.start - b.start);
};
