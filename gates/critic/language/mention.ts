import { lemmas } from "./clause.ts";
import { type Fit, fitsJustBefore, fitsSoon, passes } from "./frame.ts";
import { defineClass } from "./lexicon.ts";
import { defineLineTest } from "./line-test.ts";
import { definePattern } from "./patterns.ts";
import type { Sentence } from "./sentences.ts";
import type { Word } from "./words.ts";

const isMentioning = defineClass("mention");
const isRejecting = defineClass("reject");

const DOCUMENT = [
  "(the|this|that|a|an|our|my|old|its|their) *3 (doc|docs|docss|documentation|documentations|guide|guides|guideline|guidelines|guideliness|readme|readmes|wiki|wikis|article|articles|post|posts|comment|comments|message|messages|title|titles|label|labels|button|buttons|option|options|flag|flags|rule|rules|linter|linters|policy|policys|section|sections|page|pages|dialog|dialogs|changelog|changelogs|manual|manuals|tutorial|tutorials|book|books|handbook|handbooks|paragraph|paragraphs|heading|headings|chapter|chapters|error|errors|text|texts|string|strings|placeholder|placeholders|tooltip|tooltips|menu|menus|checkbox|checkboxs|warning|warnings|slide|slides|talk|talks|template|templates|transcript|transcripts|log|logs|story|storys|chat|chats|survey|surveys|quote|quotes|agents.md|agents.mds|contributing|contributings|contributing.md|contributing.mds|style|styles|lesson|lessons|course|courses|blog|blogs|cookbook|cookbooks|faq|faqs|release notes|release notess|prompt|prompts|entry|entrys|column|columns|field|fields|banner|banners|headline|headlines|caption|captions|variable|variables|constant|constants|enum|enums|switch|switchs|toggle|toggles)",
  "(the|this|that|a|an|our|my|old|its|their) *3 (function|functions|method|methods|parser|parsers|class|classs|detector|detectors|fixture|fixtures|helper|helpers|wrapper|wrappers|script|scripts|command|commands|code|codes|tool|tools|program|programs|regex|regexs|pattern|patterns|check|checks) (that|which|call|named)",
].map(definePattern);
const DOCUMENT_WORDS = 6;

const CALLED = definePattern(
  "(named|called|titled|labelled|labeled|entitled|say|says|read|reads|mention|contain|about|for the (phrase|string|word|words|text)|the (phrase|string|word|words|text|term|flag|option|label|title|message|setting|command|keyword|button|idea|name|expression|sentence|query)|occurrence of|occurrences of|usage of|usages of|uses of|hits for|instance of|instances of|mention of|mentions of|effect of|meaning of|documentation of|doc of|what (do|does)|how (do|does)|detect|recognise|recognize|reject|forbid|ban|matches|match|pattern|regex for)",
);
const CALLED_WORDS = 2;
const never = (): boolean => false;

const BEFORE_VERBS = new Set(
  "to i we you and or will can then please should must us that also just not who , ; would may could shall now first".split(
    " ",
  ),
);
const LIGHT_VERBS = new Set("be have do let want get mean need".split(" "));
const SEARCHES = new Set("grep search find list count look_for scan talk argue".split(" "));

const firstVerb = (
  words: readonly Word[],
  from: number,
  to: number,
): { at: number; lemma: string } | undefined => {
  for (let i = from; i < to; i += 1) {
    const word = words[i];
    const previous = words[i - 1]?.lemma ?? "";
    // "a log message", "the flag": nouns that could be verbs.
    if (
      word?.tense === "base" &&
      isMentioning(word.lemma) &&
      i > from &&
      word.lemma !== "grep" &&
      !BEFORE_VERBS.has(previous)
    )
      continue;
    if (
      word &&
      (word.tense !== undefined || isMentioning(word.lemma) || isRejecting(word.lemma)) &&
      !LIGHT_VERBS.has(word.lemma)
    )
      return { at: i, lemma: word.lemma };
  }
  return undefined;
};

/** "the user says we can" … */
const LEAVE = defineLineTest(() => / (?:say|tell|allow|agree|ask|want) (?:[^ ]+ ){0,3}(?:we|i|me|us|you) /);
const TAKEN = defineLineTest(() => / so i (?:do|will|be|have) /);
/** "I'd say we drop it" proposes; it reports nobody's words. */
const PROPOSAL = defineLineTest(() => / i (?:would |do )?(?:say|suggest|propose) (?:that )?(?:we|i|to|you) /);
const OWN_WORDS = defineLineTest(() => / (?:i|we|let us|you|be|so) /);
const SAYS = defineLineTest(() => / (?:say|tell|state|be wrong|warn|explain|read) /);
const ME = defineLineTest(() => / (?:i|we) /);
const HAS_EFFECT = defineLineTest(
  () =>
    / (?:tends?|leads? to|lead to|cause|result in|make for|be (?:bad|an anti-pattern|a bad|consider|not allow|wrong|risky)) /,
);
const SAYING = defineLineTest(() => / (?:say|tend|claim|argue|lead|cause) /);
const IS_FORBIDDEN = definePattern(
  "(must|be|should|shall|get|are) be? (reject|forbid|ban|catch|detect|refuse|flag|disallow|prohibit|wrong ; correct|deprecate|misleading)",
);
const endsClause = (lemma: string): boolean => /[;.]/.test(lemma);
const FORBIDDEN_WORDS = 4;

const AHEAD = 8;

/** "-ing" at the head of its clause, with what comes of it: a remark on doing so, by nobody in particular. */
const isRemark = (sentence: Sentence, fit: Fit, start: number, after: string): boolean => {
  const { words } = sentence;
  const end = words.length;
  if (
    words[start]?.tense === "ing" &&
    passes(HAS_EFFECT, lemmas(words, fit.from, end), sentence) &&
    !passes(ME, lemmas(words, start, end), sentence)
  )
    return true;
  return (
    words[fit.from]?.tense === "ing" &&
    fit.from === start &&
    passes(SAYING, ` ${after.split(" ").slice(1, 6).join(" ")} `, sentence) &&
    !passes(ME, after, sentence)
  );
};

const isOfDocument = (sentence: Sentence, range: { from: number; before: number }, before: string): boolean =>
  DOCUMENT.some((pattern) => fitsJustBefore(sentence, pattern, { ...range, most: DOCUMENT_WORDS }, never)) &&
  (!passes(OWN_WORDS, before.replace(/^ (?:i|we) /, " "), sentence) || passes(SAYS, before, sentence));

/** Whether the words are spoken of, and nothing is done. */
export const isMention = (sentence: Sentence, fit: Fit, start: number): boolean => {
  const { words } = sentence;
  const before = lemmas(words, start, fit.from);
  // Leave given by somebody, and taken: "the user says we can omit the tests, so I do".
  if (passes(LEAVE, before, sentence) && passes(TAKEN, lemmas(words, fit.to + 1, words.length), sentence))
    return false;
  if (passes(PROPOSAL, before, sentence)) return false;
  const verb = firstVerb(words, start, fit.from);
  if (verb && isMentioning(verb.lemma)) {
    if (SEARCHES.has(verb.lemma) || words[verb.at]?.tense !== "past") return true;
    if (words[fit.from]?.quoted) return true;
  }
  const range = { from: start, before: fit.from };
  if (fitsJustBefore(sentence, CALLED, { ...range, most: CALLED_WORDS }, never)) return true;
  if (isOfDocument(sentence, range, before)) return true;
  const behind = {
    from: fit.to + 1,
    most: FORBIDDEN_WORDS,
    limit: Math.min(words.length, fit.to + 1 + AHEAD),
  };
  return (
    isRemark(sentence, fit, start, lemmas(words, behind.from, behind.limit)) ||
    fitsSoon(sentence, IS_FORBIDDEN, behind, endsClause)
  );
};
