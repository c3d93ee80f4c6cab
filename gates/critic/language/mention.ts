import { lemmas } from "./clause.ts";
import { type Fit, fitsSoon, passes } from "./frame.ts";
import { defineClass } from "./lexicon.ts";
import { defineLineTest } from "./line-test.ts";
import { definePattern } from "./patterns.ts";
import type { Sentence } from "./sentences.ts";
import type { Word } from "./words.ts";

const isMentioning = defineClass("mention");
const isRejecting = defineClass("reject");

const DOCUMENT = defineLineTest(
  () =>
    /(?:^| )(?:the |this |that |an? |our |my |old |its |their )(?:[^ ]+ ){0,3}?(?:docs?|documentation|guide|guidelines?|readme|wiki|article|post|comment|message|title|label|button|option|flag|rule|linter|policy|section|page|dialog|changelog|manual|tutorial|book|handbook|paragraph|heading|chapter|error|text|string|placeholder|tooltip|menu|checkbox|warning|slide|talk|template|transcript|log|story|chat|survey|quote|agents\.md|contributing|contributing\.md|style|lesson|course|blog|cookbook|faq|release notes|prompt|entry|column|field|banner|headline|caption|variable|constant|enum|switch|toggle)(?:s)? (?:[^ ]+ ){0,6}$|(?:^| )(?:the |this |that |an? |our |my |old |its |their )(?:[^ ]+ ){0,3}?(?:function|method|parser|class|detector|fixture|helper|wrapper|script|command|code|tool|program|regex|pattern|check)(?:s)? (?:that|which|call|named) (?:[^ ]+ ){0,6}$/,
);

const CALLED = defineLineTest(
  () =>
    /(?: (?:call (?!it |this |that )|named|called|titled|labelled|labeled|entitled|says?|reads?|mention|contain|about|for the (?:phrase|string|words?|text)|the (?:phrase|string|word|words|text|term|flag|option|label|title|message|setting|command|keyword|button|idea|name|expression|sentence|query)|occurrences? of|usages? of|uses of|hits for|instances? of|mentions? of|effect of|meaning of|documentation of|doc of|what (?:do|does)|how (?:do|does)|detect|recognise|recognize|reject|forbid|ban|matches|match|pattern|regex for) )(?:[^ ]+ ){0,2}$/,
);

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

const isOfDocument = (sentence: Sentence, before: string): boolean =>
  passes(DOCUMENT, before, sentence) &&
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
  if (passes(CALLED, before, sentence) || isOfDocument(sentence, before)) return true;
  const range = {
    from: fit.to + 1,
    most: FORBIDDEN_WORDS,
    limit: Math.min(words.length, fit.to + 1 + AHEAD),
  };
  return (
    isRemark(sentence, fit, start, lemmas(words, range.from, range.limit)) ||
    fitsSoon(sentence, IS_FORBIDDEN, range, endsClause)
  );
};
