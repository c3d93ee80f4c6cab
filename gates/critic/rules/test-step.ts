import { type Fit, fitsAnywhere } from "../language/frame.ts";
import { definePattern } from "../language/patterns.ts";
import type { Sentence } from "../language/sentences.ts";

const LEADS_TO_TEST = new Set(
  "and then next finally lastly afterwards last the a an some its for at_end day step later now by with plus also".split(
    " ",
  ),
);
const AFTER_TEST = new Set(
  "for of on to in cover that which around against come follow with at_end and pass be case as".split(" "),
);
const MOST_LEADS = 4;
const MOST_OTHERS = 3;
const isPunctuation = (lemma: string): boolean => lemma.length === 1 && ",;:().!?>".includes(lemma);
const isTest = (lemma: string | undefined): boolean => lemma === "test" || lemma === "testing";

/** How many of the first words only lead up to what the step is about. */
const countLeads = (lemmas: readonly string[]): number => {
  let at = 0;
  for (let leads = 0; leads < MOST_LEADS; leads += 1) {
    const [lemma = "", next] = [lemmas[at], lemmas[at + 1]];
    if ((lemma === "after" && next === "that") || (lemma === "follow" && next === "by")) at += 2;
    else if (LEADS_TO_TEST.has(lemma) || /^\d+$/.test(lemma)) at += 1;
    else break;
  }
  return at;
};

/** What may stand behind the tests of a step: nothing, or what they are for. */
const endsWithTest = (lemmas: readonly string[], at: number): boolean => {
  const [next, second] = [lemmas[at + 1], lemmas[at + 2]];
  if (next === undefined) return true;
  if (second === undefined) return false;
  return AFTER_TEST.has(next) || (next === "the" && second === "next" && lemmas.length > at + 3);
};

const WORKS_WITH_TESTS = definePattern(
  "(run|rerun|execute|pass|suite|skip|disable|failing|green|red|not|no|never|existing|check|fix|implement|delete|remove|read|repair|make)",
);

/** A step that is nothing but tests: "5. unit tests", "finally the specs". */
export const findTestStep = (sentence: Sentence): Fit | undefined => {
  const at = sentence.words.findIndex(({ lemma }) => isTest(lemma));
  if (at < 0 || fitsAnywhere(sentence, WORKS_WITH_TESTS)) return undefined;
  const lemmas = sentence.words.map(({ lemma }) => lemma).filter((lemma) => !isPunctuation(lemma));
  const last = countLeads(lemmas) + MOST_OTHERS;
  for (let i = 0; i <= last; i += 1)
    if (isTest(lemmas[i]) && endsWithTest(lemmas, i)) return { from: at, to: at };
  return undefined;
};
