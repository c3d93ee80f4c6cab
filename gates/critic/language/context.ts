import { clauseEnd, clauseStart, isSentenceMark, lemmas } from "./clause.ts";
import { type Fit, fitsAnywhere, fitsJustBefore, fitsSoon, passes } from "./frame.ts";
import { defineLineTest } from "./line-test.ts";
import { isMention } from "./mention.ts";
import { definePattern } from "./patterns.ts";
import { isQuestionOfFacts } from "./question.ts";
import type { Sentence } from "./sentences.ts";
import type { Word } from "./words.ts";

/** Why a fit is not the speaker's act; undefined when it is. */
export type Excuse =
  | "quoted"
  | "negated"
  | "rejected"
  | "considered and dropped"
  | "a question about facts"
  | "mentioned, not done"
  | "somebody else's or earlier"
  | undefined;

const NEGATION = new Set([
  "not",
  "never",
  "no",
  "nobody",
  "none",
  "neither",
  "nor",
  "nolonger",
  "hardly",
  "cannot",
  "nothing",
  "anyone",
  "won",
]);

const isQuoted = (words: readonly Word[], { from, to }: Fit): boolean => {
  const inside = words.slice(from, to + 1);
  return inside.length > 0 && inside.filter(({ quoted }) => quoted).length * 2 >= inside.length;
};

const WHY_NOT = defineLineTest(() => / (?:why|how about) not $/);
const NOT_JUST = defineLineTest(() => / not (?:just|only|even|sure|certain) /);
const NO_MATTER = defineLineTest(
  () => / (?:no|not) (?:problem|time|matter|doubt|chance|idea|docker|network|reason|longer worth) /,
);
const CONDITION = defineLineTest(
  () => /^.* (?:if|unless|in case|because|since|as) (?:[^ ]+ ){0,5}not [^ ]+ /,
);
const NOT_BY_AUXILIARY = defineLineTest(() => / (?:do|must|may|shall|should|can|will) not $/);

const isNegated = (sentence: Sentence, before: string, fromStart: string): boolean => {
  if (passes(WHY_NOT, before, sentence) || passes(NOT_JUST, before, sentence)) return false;
  // "if that is not enough the test goes": the condition is negated, not the act.
  const act = passes(CONDITION, before, sentence) ? before.replace(CONDITION.expression(), " ") : before;
  for (const word of act.trim().split(" "))
    if (NEGATION.has(word)) return !passes(NO_MATTER, before, sentence);
  return fromStart !== "" && passes(NOT_BY_AUXILIARY, fromStart, sentence);
};

const REJECTION_BEFORE = definePattern(
  "(instead of|rather than|refuse to|refrain from|avoid|decide against|decide_against|rule_out|reject|no need to|need not|no reason to|against|stop|forbid|prohibit|far from|drop the idea of|idea of|prevent \\S+ *80|keep \\S+ *80 from|tempt to|temptation to|no intention of|out of the question to|danger of|risk of|never again|think twice before|do not want to|without|hate|dislike|opposed to|in place of|in lieu of|sooner than|too lazy to|easy to|wrong to|makes no sense to|no excuse for|beware of|careful not to|cease)",
);
const REJECTED_WORDS = 3;
const PERSONS = new Set(["i", "we", "you"]);
const isRejectedBefore = (sentence: Sentence, from: number, before: number): boolean =>
  fitsJustBefore(sentence, REJECTION_BEFORE, { from, before, most: REJECTED_WORDS }, (lemma) =>
    PERSONS.has(lemma),
  );

const REJECTION_AFTER = definePattern(
  "((would|will|be|seem|sound|feel|look) be? *2 (overkill|excessive|too much|wrong|pointless|a mistake|bad|forbid|prohibit|not allowed|not an option|no option|out of the question|reject|disallow|unacceptable|not acceptable|against)|(be|would be|will be) not|(do|does) not (pay|help|make sense|need)|make no sense|not (allowed|an option|needed|necessary|happen)|(must|can|may|should) not (happen|be|occur)|get reject|be over|, but? no (.|,|;|!)|? (no|nope|never))",
);
const GOES_ON = new Set(["i", "we", "since", "because", "so"]);
/** Another clause begins, or the sentence ends. */
const endsRejection = (lemma: string): boolean => GOES_ON.has(lemma) || /[;.!?]/.test(lemma);
const REJECTION_WORDS = 5;

const CONSIDER_BEFORE = definePattern(
  "(could|might|would be to|it would be (quicker|easier|faster|simpler|possible|tempting|convenient|cheaper|nice)|ask me to|tell me to|want me to|suggest|was go to|be go to|be about to|about to|think about|think of|consider|contemplate|tempt to|tempting to|want|would like to|could have|toy with|first instinct|originally|initially|plan to|idea|usually|normally|easiest|easy way|tempt|thought|alternative|option|possibility|shortcut)",
);
const CONTRAST_AFTER = definePattern(
  "(but|however|yet|then see|instead|except|decide|until i see|though|on second thought|rather|and drop|; no|no ,)",
);

const OTHERS = definePattern(
  "(he|she|they|team|teams|people|user|users|customer|customers|client|clients|maintainer|maintainers|predecessor|predecessors|developer|developers|author|colleague|vendor|contractor|somebody|someone|everybody|everyone|company|companies|intern|dave|bob|alice|upstream|most|many|agency|old|previous|former|reporter|visitor|visitors|player|players|shopper|shoppers|guest|guests|admin|admins|teammate|teammates|peer|peers|junior|juniors|senior|seniors|boss|manager)",
);
const OTHERS_WORDS = 6;
const never = (): boolean => false;
const EARLIER = definePattern(
  "(last (year|month|week|sprint|time|spring|summer|autumn|winter|quarter|release)|(year|years|month|months|week|weeks) ago|back then|previously|formerly|historically|used to|in (19\\d\\d|20\\d\\d)|in (january|february|march|april|may|june|july|august|september|october|november|december)|since (january|february|march|april|may|june|july|august|september|october|november|december)|at (my|the) (old|last|previous) (job|company)|in the past|long ago|before my time|once upon)",
);

const ME = defineLineTest(() => / (?:i|we|let us|me) /);
const USED_TO = defineLineTest(() => / used to /);
const WHO = defineLineTest(() => / who (?:[^ ]+ ){0,3}$/);
const LONG_AGO = defineLineTest(() => / (?:year|years|used to|previously) /);

const isOthers = (sentence: Sentence, fit: Fit, start: number): boolean => {
  const { words } = sentence;
  const before = lemmas(words, start, fit.from + 1);
  const clause = lemmas(words, start, clauseEnd(words, fit.to));
  const mine = passes(ME, before, sentence);
  if (passes(USED_TO, clause, sentence) || passes(WHO, lemmas(words, start, fit.from), sentence)) return true;
  const range = { from: start, most: OTHERS_WORDS, limit: fit.from + 1 };
  if (!mine && fitsSoon(sentence, OTHERS, range, never)) return true;
  if (!fitsAnywhere(sentence, EARLIER, { from: start, to: clauseEnd(words, fit.to) - 1 })) return false;
  const verbPast =
    words.slice(fit.from, fit.to + 1).some(({ tense }) => tense === "past") || clause.includes(" be ");
  return (
    (!mine || passes(LONG_AGO, clause, sentence)) && (verbPast || !/^ (?:today|now)/.test(sentence.line))
  );
};

const BUT_SKIPPED = defineLineTest(() => / (?:but|however) (?:[^ ]+ ){0,6}(?:skip|without|no test)/);
const SAYS_NO = defineLineTest(
  () => /^ (?:and )?(?:i |we )?(?:say no|refuse|decline|do not|will not|disagree|resist)/,
);
const TURNS = defineLineTest(
  () => /^ (?:but|then|instead|however|no|yet|, but|i decide|we decide|on second thought|rather|not) /,
);

const isDropped = (sentence: Sentence, fit: Fit, next: Sentence | undefined): boolean => {
  const { words } = sentence;
  const from = clauseStart(words, fit.from, isSentenceMark);
  if (!fitsAnywhere(sentence, CONSIDER_BEFORE, { from, to: fit.from })) return false;
  const after = lemmas(words, fit.to + 1, words.length);
  if (
    after.startsWith(" ; ") ||
    fitsAnywhere(sentence, CONTRAST_AFTER, { from: fit.to + 1, to: words.length - 1 })
  )
    return !passes(BUT_SKIPPED, after, sentence);
  return next !== undefined && (passes(SAYS_NO, next.line, next) || passes(TURNS, next.line, next));
};

const WHETHER = defineLineTest(
  () => / (?:whether|wonder if|ask if|know if|find out (?:if|why|who|when)|how come|why) /,
);
const ANSWERS_NO = defineLineTest(
  () => /^ (?:no|nope|never|nah|certainly not|of course not|rather not|not) /,
);

/** Whether what the frame found is the speaker's own act, and if not, why not. */
export const findExcuse = (sentence: Sentence, fit: Fit, next: Sentence | undefined): Excuse => {
  const { words } = sentence;
  const start = clauseStart(words, fit.from);
  const before = lemmas(words, start, fit.from);
  if (isQuoted(words, fit)) return "quoted";
  if (isQuestionOfFacts(sentence) || (passes(WHETHER, before, sentence) && !before.includes(" why not ")))
    return "a question about facts";
  const first = words[start];
  const fromStart =
    first && start > 0 && words[start - 1]?.lemma === "and" ? lemmas(words, 0, start - 1) : "";
  if (isNegated(sentence, before, fromStart)) return "negated";
  if (isRejectedBefore(sentence, start, fit.from)) return "rejected";
  if (fitsSoon(sentence, REJECTION_AFTER, { from: fit.to + 1, most: REJECTION_WORDS }, endsRejection))
    return "rejected";
  if (sentence.question && next && passes(ANSWERS_NO, next.line, next)) return "rejected";
  if (isDropped(sentence, fit, next)) return "considered and dropped";
  if (isMention(sentence, fit, start)) return "mentioned, not done";
  if (isOthers(sentence, fit, start)) return "somebody else's or earlier";
  return undefined;
};
