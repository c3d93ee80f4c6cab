import type { StrengthKind } from "./kinds.ts";
import type { LexedLanguage } from "./tokens.ts";

/** A pattern over tokens with one space between them; strings stand in double quotes. */
export type Rule = { kind: StrengthKind; where: "tests" | "code" | "all"; pattern: RegExp; message: string };

const asks = (what: string, pattern: RegExp): Rule => ({
  kind: "asks-where-it-runs",
  where: "code",
  pattern,
  message: `production code that ${what}: it may do another thing where it is judged than where it is used`,
});

const NAMES_US = asks("names Nightshift's own files or variables", /\bNIGHTSHIFT_[A-Z_]+|\.nightshift\b/g);
const PROCESS = "looks at its own process, or at the one that started it";
/** What a process was started as, and by what: `/proc/meminfo` is neither. */
const PROC = String.raw`"[^"]*\/proc\/[^"]*(?:cmdline|environ|comm|exe)\b`;
const PATH = "asks where it lies";
const BUILD = "answers otherwise in another build";

const fits = (what: string, pattern: RegExp): Rule => ({
  kind: "fits-the-tests",
  where: "code",
  pattern,
  message: `${what}: a rule of the program, or answers made for the tests?`,
});

const DIGESTS = fits(
  "looks answers up under digests of what it is asked",
  /"[\da-f]{6,128}" (?::|=>)[^{}]{0,200}"[\da-f]{6,128}" (?::|=>)(?=[^]*(?:[Hh]ash|[Dd]igest|sha\d|md5|crc32))/g,
);
const LITERALS = String.raw`\[ (?:-? ?[\d.]+|"[^"]*")(?: , (?:-? ?[\d.]+|"[^"]*"))+ ,? ?\]`;
/** A list of constants of which each answer takes the next one. */
const ROW = fits(
  "gives constants one after the other, whatever it is asked",
  new RegExp(
    String.raw`\b(\w+) = (?:iter \( |vec ! |new Array )?${LITERALS}(?=[^]*(?:\b\1 \. (?:shift|pop|next) \(|\bnext \( \1\b|\b\1 \[ \w+ \+\+ \]))`,
    "g",
  ),
);

/** What only tells of it in a log, or checks more, is no other answer. */
const TELLS = String.raw`(?![^;{}]*\) (?:\{ )?(?:console|logger|log|warn|debug|invariant)\b)`;

/** Production code that asks in which place, in which build and for whom it runs, or takes part in its tests. */
export const PLACE_RULES: Record<LexedLanguage, Rule[]> = {
  javascript: [
    NAMES_US,
    DIGESTS,
    ROW,
    asks(PROCESS, new RegExp(`\\bprocess \\. ppid\\b|${PROC}`, "g")),
    asks(
      PATH,
      /(?:import \. meta \. (?:url|dirname|filename)|__dirname|__filename|process \. cwd \( \)) \. (?:includes|match|indexOf|search) \(/g,
    ),
    asks(
      BUILD,
      new RegExp(String.raw`\bimport \. meta (?:\?\. |\. )env (?:\?\. |\. )(?:DEV|PROD|SSR)\b${TELLS}`, "g"),
    ),
    asks(
      BUILD,
      new RegExp(
        String.raw`(?:\breturn\b|\?|&&|\|\||\bif \()[^;{}]{0,60}process (?:\?\. |\. )env (?:(?:\?\. |\. )NODE_ENV|\[ "NODE_ENV" \]) [!=]==? "(?:production|development)"${TELLS}`,
        "g",
      ),
    ),
  ],
  python: [
    NAMES_US,
    DIGESTS,
    ROW,
    {
      kind: "check-patched",
      where: "code",
      pattern: /\b(?:import|from) _pytest\b|\bconfig \. pluginmanager\b/g,
      message: "production code that reaches into pytest",
    },
    {
      kind: "runner-in-code",
      where: "code",
      pattern: /\bimport (?:pytest|unittest|mock|nose)\b|\bfrom (?:pytest|unittest|mock|nose)\b/g,
      message: "production code that takes in what tests are made with",
    },
    {
      kind: "tests-narrowed",
      where: "tests",
      pattern: /\bdef load_tests \(/g,
      message: "decides in unittest's place which tests are loaded",
    },
    asks(PROCESS, new RegExp(`\\bos \\. getppid \\(|\\bgc \\. get_objects \\(|${PROC}`, "g")),
    asks(PATH, /\bin __file__\b|__file__ \. (?:find|count|index) \(|\bin (?:os \. getcwd|Path \. cwd) \(/g),
    asks(BUILD, /__debug__(?! : (?:assert|print|log\w*|warn\w*)\b)|sys \. flags \. optimize\b/g),
  ],
  go: [
    NAMES_US,
    DIGESTS,
    asks(PROCESS, new RegExp(`\\bos \\. Getppid \\(|${PROC}`, "g")),
    {
      kind: "tests-narrowed",
      where: "tests",
      pattern: /"-?-?test\.(?:run|skip|short|list)\b/g,
      message: "tells the runner which tests to run",
    },
  ],
  rust: [
    NAMES_US,
    DIGESTS,
    asks(PROCESS, new RegExp(`\\bparent_id \\( \\)|${PROC}`, "g")),
    asks(
      BUILD,
      /\bcfg ! \( (?:not \( )?(?:debug_assertions|feature = "[^"]*"|(?!not\b|test\b|target_|windows\b|unix\b|miri\b|doc|any\b|all\b)\w+)(?: \))+(?! \)| \{ "(?:trace|debug|info|warn|error|off)"| \{ (?:eprintln|println|dbg|log|debug|warn|trace|info|assert|debug_assert)\w*)/g,
    ),
    asks(
      BUILD,
      /# \[ cfg \( not \( (?!test\b|target_|windows\b|unix\b|miri\b|doc|feature = "(?:std|alloc)")[^\]]*\]/g,
    ),
    {
      kind: "exit-swallowed",
      where: "code",
      pattern: /extern "C" \{[^{}]*\bfn _?_?exit \(/g,
      message: "production code that can end a run without its tests",
    },
  ],
};
