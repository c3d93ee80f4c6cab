import { defineTable } from "./kept-tables.ts";
import { endsDoubled } from "./tokens.ts";

/**
 * The words the rules speak of, by meaning. A rule names a class (`<skip>`), never a phrase, so that a way
 * of saying it that is missing is one word here.
 */
const VERBS = {
  skip: "skip omit bypass forgo forego sidestep circumvent dodge disregard neglect leave_out ditch skimp shirk waive do_without opt_out get_around go_without get_by_without pass_over spare elide jump_over hold_back blow_off",
  disable:
    "disable deactivate turn_off switch_off mute silence suppress quarantine xfail comment_out exclude deselect neutralise neutralize knock_out stub_out park blacklist denylist shelve suspend unplug put_aside set_aside pause fence_off gate_off no-op filter_out",
  remove:
    "remove delete drop kill cut nuke purge strip rm erase take_out rip_out yank toss throw_out eliminate get_rid_of scrap",
  ignore: "ignore overlook look_past look_away tolerate accept swallow",
  weaken:
    "weaken loosen relax lower soften water_down slacken dilute dumb_down reduce broaden widen weaken ease lax",
  change:
    "change adjust edit alter tweak adapt set update replace swap rewrite patch modify bend match overwrite regenerate accept refresh refresh re-record rerecord fix_up copy cp",
  write:
    "write add create make author put_in draft code_up produce come_up_with supply provide backfill cover contribute do finish build get have include fill_in implement introduce start begin retrofit knock_out supplement",
  need: "need require warrant deserve merit justify call_for demand",
  implement:
    "implement build code develop prototype finish complete fix patch correct refactor rewrite create write add make wire bang_out hack get ship_out solve repair extract migrate convert port replace change adapt adjust program hook_up introduce sketch_out rework resolve expose extend update design spike handle land rename craft coding knock_out tackle flesh_out put_together turn do generate scaffold integrate hook",
  ship: "merge ship release deploy push publish go_live land roll_out launch promote squash-merge hand_over roll force-push put_live automerge auto-merge",
  wrapup:
    "commit finish done complete close declare continue proceed move_on go_ahead carry_on hand_in wrap_up conclude go_on call",
  run: "run execute rerun re-run exercise wait await launch start kick_off invoke perform complete pass trigger await await watch check",
  create:
    "create make spin_up set_up stand_up bootstrap scaffold initialise initialize init start open launch found establish introduce generate provision write build add need want propose publish put register go_for bring_up develop begin kick_off deploy have get fire_up host run roll_out opt_for prefer spawn design implement ship stand form",
  separate:
    "extract pull move split break carve factor spin_off hive peel separate migrate lift fork divide cut decouple detach isolate convert turn relocate outsource promote shift transfer put go become rip slice port rewrite take get live break_out carve_out split_off pull_out move_out factor_out peel_off hive_off split_up split_out fork_off",
  restart:
    "start_over rewrite rebuild restart_from begin_again start_afresh redo start_again start_fresh start begin reimplement re-implement",
  restore:
    "un-skip unskip enable re-enable reenable restore reinstate repair turn_on switch_on reactivate bring_back undo revive unmute unquarantine revert uncomment",
  mention:
    "grep search find list count explain describe document translate mention report read discuss recognise recognize detect forbid ban reject prevent refuse warn log highlight flag refer quote cite summarise summarize look_for scan inspect measure forbid disallow block complain print display say tell state note clarify show audit enforce catch catch discourage parse render study research investigate review understand learn",
  consider:
    "consider think tempt contemplate toy wonder ponder weigh debate discuss suggest intend plan want mean hope",
  reject:
    "avoid refuse resist refrain decline reject forbid ban abstain prohibit oppose rule_out veto decide_against abandon discard hate prevent stop",
  postpone:
    "postpone defer delay put_off hold_off wait push_back hold_off_on leave save keep follow come arrive park deprioritise deprioritize reserve schedule punt",
  work: "work behave function run pass hold go fly suffice help do match compile succeed cope perform",
  fix: "fix resolve solve handle cover sort cure address eliminate repair remedy do take_care settle prevent stop",
  clean:
    "clean_up clean tidy tidy_up refactor dedupe deduplicate remove get_rid_of fix sort sort_out consolidate unify polish revisit split rework address improve delete sweep beautify restructure simplify replace merge undo pay rewrite do drop generalise generalize extract redo straighten untangle harden delint parametrise parameterize externalise",
  leave: "leave keep stay remain ship commit merge have tolerate live accept get put",
} as const;

export type WordClass = keyof typeof VERBS | keyof typeof NOUNS;

const NOUNS = {
  test: "test suite assertion testfile testing testcase runtests",
  suite: "suite test testing runtests pipeline ci check e2e build workflow job",
  repo: "repo repository codebase",
  service:
    "service microservice daemon server backend lambda app stack deployable sidecar process application deployment container instance api gateway worker function_app vm",
  strongservice: "microservice daemon deployable microservices nanoservice micro-service",
  newness:
    "new separate own dedicated standalone independent fresh blank empty second another greenfield extra additional distinct brand-new stand-alone self-contained different clean other third autonomous isolated one_more",
  negation: "not never no nobody none neither nor without cannot nothing",
  later:
    "later afterwards afterward after tomorrow next last finally eventually someday subsequently second follow_up end",
  me: "i we you let us",
} as const;

const IRREGULAR: Record<string, string[]> = {
  write: ["wrote", "written"],
  make: ["made"],
  leave: ["left"],
  build: ["built"],
  run: ["ran"],
  get: ["got", "gotten"],
  do: ["did", "done", "does", "doing"],
  put: ["putting"],
  set: ["setting"],
  spin: ["spun", "spinning"],
  stand: ["stood"],
  take: ["took", "taken"],
  go: ["went", "gone", "goes", "gonna"],
  keep: ["kept"],
  hold: ["held"],
  break: ["broke", "broken"],
  begin: ["began", "begun", "beginning"],
  give: ["gave", "given"],
  come: ["came"],
  have: ["had", "has", "having"],
  say: ["said"],
  tell: ["told"],
  find: ["found"],
  think: ["thought"],
  mean: ["meant"],
  rewrite: ["rewrote", "rewritten"],
  forgo: ["forwent", "forgone"],
  throw: ["threw", "thrown"],
  rip: ["ripped"],
  become: ["became"],
  fly: ["flew"],
  bring: ["brought"],
  read: [],
  pay: ["paid"],
  show: ["shown"],
  catch: ["caught"],
  sweep: ["swept"],
  be: ["is", "are", "was", "were", "been", "being", "am"],
  forbid: ["forbade", "forbidden"],
  undo: ["undid", "undone"],
  redo: ["redid", "redone"],
  bend: ["bent"],
  understand: ["understood"],
  slip: [],
  fall: ["fell", "fallen"],
  see: ["saw", "seen"],
  let: ["letting"],
  shut: ["shutting"],
  mark: [],
  cause: [],
};

export type Tense = "base" | "s" | "past" | "ing";
export type Form = { lemma: string; tense: Tense };

/** Participles of the separable verbs ("turn the tests off") take their particle along in `phrases.ts`. */
const verbBases = (): Set<string> => {
  const bases = new Set<string>(Object.keys(IRREGULAR));
  for (const words of Object.values(VERBS))
    for (const word of words.split(" ")) bases.add(word.split("_")[0] ?? word);
  for (const word of "slow mock stub fake fail agree introduce guard prove secure pin port flag tag ask cost use call try apply trust test verify mark wrap pin trim tighten raise increase bump blow bother commit squash cancel expect assert import cover rebase".split(
    " ",
  ))
    bases.add(word);
  return bases;
};

const TENSES: readonly Tense[] = ["base", "s", "past", "ing"];

/** The number of the tense, and the lemma. */
const findIrregular = defineTable("irregular forms", () =>
  Object.entries(IRREGULAR).flatMap(([lemma, forms]) =>
    forms.map((text): [string, string] => [text, `${TENSES.indexOf(irregularTense(text))}${lemma}`]),
  ),
);

function irregularTense(text: string): Tense {
  if (text.endsWith("ing")) return "ing";
  return /^(?:has|goes|does|is|are|am)$/.test(text) ? "s" : "past";
}

const findVerb = defineTable("verbs", () => [...verbBases()].map((verb): [string, string] => [verb, ""]));
const isVerb = (word: string): boolean => findVerb(word) !== undefined;
const ENDINGS: readonly [string, Tense][] = [
  ["ing", "ing"],
  ["ed", "past"],
  ["s", "s"],
];

const findBase = (stem: string, tense: Tense): string | undefined => {
  const candidates = [stem, `${stem}e`];
  if (tense === "s" && stem.endsWith("e")) candidates.push(stem.slice(0, -1));
  if (stem.endsWith("i")) candidates.push(`${stem.slice(0, -1)}y`);
  if (stem.endsWith("ie")) candidates.push(`${stem.slice(0, -2)}y`);
  if (endsDoubled(stem)) candidates.push(stem.slice(0, -1));
  return candidates.find(isVerb);
};

/** What a verb form is a form of; undefined for words the rules do not speak of. */
export const findForm = (word: string): Form | undefined => {
  const irregular = findIrregular(word);
  if (irregular !== undefined)
    return { lemma: irregular.slice(1), tense: TENSES[Number(irregular[0])] ?? "base" };
  if (isVerb(word)) return { lemma: word, tense: "base" };
  for (const [ending, tense] of ENDINGS) {
    if (!word.endsWith(ending) || word.length < ending.length + 2) continue;
    const base = findBase(word.slice(0, -ending.length), tense);
    if (base !== undefined) return { lemma: base, tense };
  }
  return undefined;
};

/** Nouns whose singular and synonyms become one word. */
export const findNounLemma = defineTable("nouns", () =>
  Object.entries({
    tests: "test",
    spec: "test",
    specs: "test",
    unittest: "test",
    unittests: "test",
    testcase: "test",
    testcases: "test",
    e2e: "test",
    suites: "suite",
    assertions: "assertion",
    assert: "assertion",
    asserts: "assertion",
    expects: "assertion",
    expectation: "assertion",
    expectations: "assertion",
    repos: "repo",
    repository: "repo",
    repositories: "repo",
    codebases: "codebase",
    services: "service",
    svc: "service",
    microservices: "microservice",
    daemons: "daemon",
    servers: "server",
    backends: "backend",
    snapshots: "snapshot",
    pr: "pr",
    prs: "pr",
    mr: "pr",
    hooks: "hook",
    checks: "check",
    pytest: "runtests",
    rspec: "test",
    reds: "red",
    ich: "i",
    wir: "we",
    r: "be",
    u: "you",
  }),
);

/** Whether a word is a member of a class, for one that is often asked for. */
export const defineClass = (name: WordClass): ((word: string) => boolean) => {
  const find = defineTable(`class ${name}`, () =>
    membersOf(name)
      .split("|")
      .map((word): [string, string] => [word, ""]),
  );
  return (word) => find(word) !== undefined;
};

/** The members of a class, as an alternation for a frame. */
export const membersOf = (name: string): string => {
  const words: string | undefined = { ...VERBS, ...NOUNS }[name as WordClass];
  if (words === undefined) throw new Error(`no word class <${name}>`);
  return words.split(" ").join("|");
};

/** Words worth recognising when mistyped; short ones are left alone. */
const TYPO_TARGETS =
  "tests testing skip skipping skipped commented commenting disabled removed deleting without write writing implement implementing implementation separate service microservice repository create creating should probably later afterwards afterward merge merging deploy suite assertion disable disabling ignore snapshot bypass comment before coverage production release project another failing clean cleanup temporary server daemon codebase running";

/** Real words that lie one slip away from one of the targets. */
const NOT_TYPOS =
  "texts rests tasting texting resting nesting shipping slipping skip ship latter letter layer water rates crate crates created creates creator served serves serve device devices series services project projects projected suites suit quite spite smite suited merged merger merges emerge emerging deployed deploys release released releases released releases relate clear clean cleans cleaned clan clans repair comments commend commit beforehand severs severe sever never several serving writes white whiting waiting writer written running runnings ruling tuning shippings tipping clipping snipping skipper skipped stepped slipped flipped whipped shipped testings completion teats tents tets texts gests vests bests nests pests jests zests lists toasts twists trusts ignored ignores server servers fervor reserver failings falling filing filling sailing mailing hailing railing tailing nailing bailing feeling deployed disabled disables enable enabling enabled";

const findRight = defineTable("no typos", () =>
  `${TYPO_TARGETS} ${NOT_TYPOS}`.split(" ").map((word): [string, string] => [word, ""]),
);
/** Whether the word is one of the targets, or known to be another one. */
export const isNoTypo = (word: string): boolean => findRight(word) !== undefined;

const findTargets = defineTable("typo targets", () => {
  const targets = TYPO_TARGETS.split(" ");
  const letters = new Set(targets.map(([letter = ""]) => letter));
  return [...letters].map(
    (letter) => [letter, targets.filter((word) => word.startsWith(letter)).join(" ")] as const,
  );
});
/** The words worth recognising that begin with a letter. */
export const listTypoTargets = (letter: string): string[] => findTargets(letter)?.split(" ") ?? [];
