import type { Fit } from "./frame.ts";
import { membersOf } from "./lexicon.ts";
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

const BOUNDARY = /^[,;:()!?>]$|^(?:but|so|because|then|since|although|though|while|just|only)$/;
const PUNCT_BOUNDARY = /^[;:()!?>]$|^(?:but|so|because|since|although|though)$/;

const setOf = (name: string): Set<string> => new Set(membersOf(name).split("|"));
const MENTION = setOf("mention");
const REJECT = setOf("reject");
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

/** First word of the clause that holds the word at `at`. */
export const clauseStart = (words: readonly Word[], at: number, boundary: RegExp = BOUNDARY): number => {
  for (let i = at - 1; i >= 0; i -= 1) {
    const lemma = words[i]?.lemma ?? "";
    if (boundary.test(lemma)) return i + 1;
    const next = words[i + 1]?.lemma ?? "";
    if (lemma === "and" && /^(?:i|we|you|he|she|they|it|this|that|will|then|be)$/.test(next)) return i + 1;
    const tense = words[i + 1]?.tense;
    // "instead of coding first and testing later" is one thing said of both.
    const isPair = tense === "ing" && words.slice(0, i).some((word) => word.tense === "ing");
    if (lemma === "and" && tense !== undefined && tense !== "base" && !isPair) return i + 1;
  }
  return 0;
};

export const clauseEnd = (words: readonly Word[], at: number): number => {
  for (let i = at + 1; i < words.length; i += 1) if (PUNCT_BOUNDARY.test(words[i]?.lemma ?? "")) return i;
  return words.length;
};

const lemmas = (words: readonly Word[], from: number, to: number): string =>
  words.slice(from, to).reduce((line, { lemma }) => `${line}${lemma} `, " ");

const isQuoted = (words: readonly Word[], { from, to }: Fit): boolean => {
  const inside = words.slice(from, to + 1);
  return inside.length > 0 && inside.filter(({ quoted }) => quoted).length * 2 >= inside.length;
};

const isNegated = (before: string, fromStart: string): boolean => {
  if (/ (?:why|how about) not $/.test(before)) return false;
  if (/ not (?:just|only|even|sure|certain) /.test(before)) return false;
  // "if that is not enough the test goes": the condition is negated, not the act.
  const act = before.replace(/^.* (?:if|unless|in case|because|since|as) (?:[^ ]+ ){0,5}not [^ ]+ /, " ");
  for (const word of act.trim().split(" "))
    if (NEGATION.has(word))
      return !/ (?:no|not) (?:problem|time|matter|doubt|chance|idea|docker|network|reason|longer worth) /.test(
        before,
      );
  return fromStart === "" ? false : / (?:do|must|may|shall|should|can|will) not $/.test(fromStart);
};

const REJECTION_BEFORE =
  / (?:instead of|rather than|refuse to|refrain from|avoid|decide against|decide_against|rule_out|reject|no need to|need not|no reason to|against|stop|forbid|prohibit|far from|drop the idea of|idea of|prevent .*|keep .* from|tempt to|temptation to|no intention of|out of the question to|danger of|risk of|never again|think twice before|do not want to|without|hate|dislike|opposed to|in place of|in lieu of|sooner than|too lazy to|easy to|wrong to|makes no sense to|no excuse for|beware of|careful not to|cease) (?:(?!i |we |you )[^ ]+ ){0,3}$/;
const REJECTION_AFTER =
  /^ (?:(?!i |we |since |because |so )[^ ;.!?]+ ){0,5}?(?:(?:would|will|be|seem|sound|feel|look)(?: be)? (?:[^ ]+ ){0,2}?(?:overkill|excessive|too much|wrong|pointless|a mistake|bad|forbid|prohibit|not allowed|not an option|no option|out of the question|reject|disallow|unacceptable|not acceptable|against)|(?:be|would be|will be) not |(?:do|does) not (?:pay|help|make sense|need)|make no sense|not (?:allowed|an option|needed|necessary|happen)|(?:must|can|may|should) not (?:happen|be |occur)|get reject|be over\b|, (?:but )?no [.,;!]|\? (?:no|nope|never)\b)/;

const CONSIDER_BEFORE =
  / (?:could|might|would be to|it would be (?:quicker|easier|faster|simpler|possible|tempting|convenient|cheaper|nice)|ask me to|tell me to|want me to|suggest|was go to|be go to|be about to|about to|think about|think of|consider|contemplate|tempt to|tempting to|want|would like to|could have|toy with|first instinct|originally|initially|plan to|idea|usually|normally|easiest|easy way|tempt|thought|alternative|option|possibility|shortcut)\b/;
const CONTRAST_AFTER =
  / (?:but|however|yet|then see|instead|except|decide|until i see|though|on second thought|rather|and drop|; no|no ,)\b/;

const questionOfFacts = (sentence: Sentence): boolean => {
  const { line } = sentence;
  if (
    /^ (?:so |and |but |ok |hmm , |, )*(?:why (?:not|do not we|do not i)|what if|how about|what about) /.test(
      line,
    )
  )
    return false;
  if (
    / (?:ok|okay|fine|alright|acceptable|permissible|all right|allowed|possible|cool|safe|good enough) (?:with you )?(?:to|if|for|that|when|with) /.test(
      line,
    )
  )
    return false;
  if (
    / (?:mind|object|permission|approve|agree|want me to|want us to|like me to|acceptable|ok|okay) /.test(
      line,
    )
  )
    return false;
  if (!sentence.question)
    return /^ (?:why|who|how many|whether|what|when do|where) (?:[^ ]+ )?(?:be|do|did|have|has) /.test(line);
  if (/(?:^| )(?:can|may|could|shall|should|might|would|will) (?:i|we|you|it|this) /.test(line))
    return /^ (?:why|who|where|how many|how much|what|which) /.test(line) && !/ what if /.test(line);
  return /^ (?:so |and |but |, )*(?:why|who|whom|where|when|how|which|what|whose|be|do|have|does|did|has|was|were|is|are) /.test(
    line,
  );
};

const SAYING = / (?:say|tend|claim|argue|lead|cause) /;
const OTHERS =
  /^ (?:[^ ]+ ){0,6}?(?:he|she|they|team|teams|people|users?|customers?|clients?|maintainers?|predecessors?|developers?|author|colleague|vendor|contractor|somebody|someone|everybody|everyone|company|companies|intern|dave|bob|alice|upstream|most|many|agency|old|previous|former|reporter|visitors?|players?|shoppers?|guests?|admins?|teammates?|peers?|juniors?|seniors?|boss|manager) /;
const EARLIER =
  / (?:last (?:year|month|week|sprint|time|spring|summer|autumn|winter|quarter|release)|(?:years?|months?|weeks?) ago|back then|previously|formerly|historically|used to|in (?:19|20)\d\d|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|since (?:january|february|march|april|may|june|july|august|september|october|november|december)|at (?:my|the) (?:old|last|previous) (?:job|company)|in the past|long ago|before my time|once upon) /;

const DOCUMENT =
  /(?:^| )(?:the |this |that |an? |our |my |old |its |their )(?:[^ ]+ ){0,3}?(?:docs?|documentation|guide|guidelines?|readme|wiki|article|post|comment|message|title|label|button|option|flag|rule|linter|policy|section|page|dialog|changelog|manual|tutorial|book|handbook|paragraph|heading|chapter|error|text|string|placeholder|tooltip|menu|checkbox|warning|slide|talk|template|transcript|log|story|chat|survey|quote|agents.md|contributing|contributing.md|style|lesson|course|blog|cookbook|faq|release notes|prompt|entry|column|field|banner|headline|caption|variable|constant|enum|switch|toggle)(?:s)? (?:[^ ]+ ){0,6}$|(?:^| )(?:the |this |that |an? |our |my |old |its |their )(?:[^ ]+ ){0,3}?(?:function|method|parser|class|detector|fixture|helper|wrapper|script|command|code|tool|program|regex|pattern|check)(?:s)? (?:that|which|call|named) (?:[^ ]+ ){0,6}$/;

const CALLED =
  /(?: (?:call (?!it |this |that )|named|called|titled|labelled|labeled|entitled|says?|reads?|mention|contain|about|for the (?:phrase|string|words?|text)|the (?:phrase|string|word|words|text|term|flag|option|label|title|message|setting|command|keyword|button|idea|name|expression|sentence|query)|occurrences? of|usages? of|uses of|hits for|instances? of|mentions? of|effect of|meaning of|documentation of|doc of|what (?:do|does)|how (?:do|does)|detect|recognise|recognize|reject|forbid|ban|matches|match|pattern|regex for) )(?:[^ ]+ ){0,2}$/;

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
      MENTION.has(word.lemma) &&
      i > from &&
      word.lemma !== "grep" &&
      !/^(?:to|i|we|you|and|or|will|can|then|please|should|must|us|that|also|just|not|who|,|;|would|may|could|shall|now|first)$/.test(
        previous,
      )
    )
      continue;
    if (
      word &&
      (word.tense !== undefined || MENTION.has(word.lemma) || REJECT.has(word.lemma)) &&
      !["be", "have", "do", "let", "want", "get", "mean", "need"].includes(word.lemma)
    )
      return { at: i, lemma: word.lemma };
  }
  return undefined;
};

const isMention = (words: readonly Word[], fit: Fit, start: number): boolean => {
  const before = lemmas(words, start, fit.from);
  // Leave given by somebody, and taken: "the user says we can omit the tests, so I do".
  if (
    / (?:say|tell|allow|agree|ask|want) (?:[^ ]+ ){0,3}(?:we|i|me|us|you) /.test(before) &&
    / so i (?:do|will|be|have) /.test(lemmas(words, fit.to + 1, words.length))
  )
    return false;
  const verb = firstVerb(words, start, fit.from);
  // "I'd say we drop it" proposes; it reports nobody's words.
  if (/ i (?:would |do )?(?:say|suggest|propose) (?:that )?(?:we|i|to|you) /.test(before)) return false;
  const searches =
    verb !== undefined && /^(?:grep|search|find|list|count|look_for|scan|talk|argue)$/.test(verb.lemma);
  if (verb && MENTION.has(verb.lemma) && (searches || words[verb.at]?.tense !== "past")) return true;
  if (verb && MENTION.has(verb.lemma) && words[fit.from]?.quoted) return true;
  if (CALLED.test(before)) return true;
  if (DOCUMENT.test(before) && !/ (?:i|we|let us|you|be|so) /.test(before.replace(/^ (?:i|we) /, " ")))
    return true;
  if (DOCUMENT.test(before) && / (?:say|tell|state|be wrong|warn|explain|read) /.test(before)) return true;
  const after = lemmas(words, fit.to + 1, Math.min(words.length, fit.to + 9));
  if (
    words[start]?.tense === "ing" &&
    / (?:tends?|leads? to|lead to|cause|result in|make for|be (?:bad|an anti-pattern|a bad|consider|not allow|wrong|risky)) /.test(
      lemmas(words, fit.from, words.length),
    ) &&
    !/ (?:i|we) /.test(lemmas(words, start, words.length))
  )
    return true;
  if (
    SAYING.test(` ${after.split(" ").slice(1, 6).join(" ")} `) &&
    words[fit.from]?.tense === "ing" &&
    fit.from === start &&
    !/ (?:i|we) /.test(after)
  )
    return true;
  return /^ (?:[^ ;.]+ ){0,4}?(?:must|be|should|shall|get|are)(?: be)? (?:reject|forbid|ban|catch|detect|refuse|flag|disallow|prohibit|wrong ; correct|deprecate|misleading)/.test(
    after,
  );
};

const isOthers = (words: readonly Word[], fit: Fit, start: number, sentence: Sentence): boolean => {
  const before = lemmas(words, start, fit.from + 1);
  const clause = lemmas(words, start, clauseEnd(words, fit.to));
  const mine = / (?:i|we|let us|me) /.test(before);
  if (/ used to /.test(clause) || / who (?:[^ ]+ ){0,3}$/.test(lemmas(words, start, fit.from))) return true;
  if (OTHERS.test(before) && !mine) return true;
  const verbPast =
    words.slice(fit.from, fit.to + 1).some(({ tense }) => tense === "past") || / be /.test(clause);
  if (
    EARLIER.test(clause) &&
    (!mine || / (?:year|years|used to|previously) /.test(clause)) &&
    (verbPast || !/^ (?:today|now)/.test(sentence.line))
  )
    return true;
  return false;
};

const isDropped = (words: readonly Word[], fit: Fit, next: Sentence | undefined): boolean => {
  const from = clauseStart(words, fit.from, /^[;:().!?>]$/);
  const before = lemmas(words, from, fit.from + 1);
  const after = lemmas(words, fit.to + 1, words.length);
  if (!CONSIDER_BEFORE.test(before)) return false;
  if (CONTRAST_AFTER.test(after) || after.startsWith(" ; "))
    return !/ (?:but|however) (?:[^ ]+ ){0,6}(?:skip|without|no test)/.test(after);
  if (
    next &&
    /^ (?:and )?(?:i |we )?(?:say no|refuse|decline|do not|will not|disagree|resist)/.test(next.line)
  )
    return true;
  return (
    next !== undefined &&
    /^ (?:but|then|instead|however|no|yet|, but|i decide|we decide|on second thought|rather|not) /.test(
      next.line,
    )
  );
};

/** Whether what the frame found is the speaker's own act, and if not, why not. */
export const findExcuse = (sentence: Sentence, fit: Fit, next: Sentence | undefined): Excuse => {
  const { words } = sentence;
  const start = clauseStart(words, fit.from);
  const before = lemmas(words, start, fit.from);
  if (isQuoted(words, fit)) return "quoted";
  if (
    questionOfFacts(sentence) ||
    (/ (?:whether|wonder if|ask if|know if|find out (?:if|why|who|when)|how come|why) /.test(before) &&
      !/ why not /.test(before))
  )
    return "a question about facts";
  const first = words[start];
  const fromStart =
    first && start > 0 && words[start - 1]?.lemma === "and" ? lemmas(words, 0, start - 1) : "";
  if (isNegated(before, fromStart)) return "negated";
  if (REJECTION_BEFORE.test(before)) return "rejected";
  const after = lemmas(words, fit.to + 1, words.length);
  if (REJECTION_AFTER.test(after)) return "rejected";
  if (
    sentence.question &&
    next &&
    /^ (?:no|nope|never|nah|certainly not|of course not|rather not|not) /.test(next.line)
  )
    return "rejected";
  if (isDropped(words, fit, next)) return "considered and dropped";
  if (isMention(words, fit, start)) return "mentioned, not done";
  if (isOthers(words, fit, start, sentence)) return "somebody else's or earlier";
  return undefined;
};
