import { fitsAnywhere, passes } from "./frame.ts";
import { defineLineTest, type LineTest } from "./line-test.ts";
import { definePattern } from "./patterns.ts";
import type { Sentence } from "./sentences.ts";

const WHY_DO_NOT = defineLineTest(
  () => /^ (?:so |and |but |ok |hmm , |, )*(?:why (?:not|do not we|do not i)|what if|how about|what about) /,
);
const MAY_I = definePattern(
  "((ok|okay|fine|alright|acceptable|permissible|all right|allowed|possible|cool|safe|good enough) (with you)? (to|if|for|that|when|with)|mind|object|permission|approve|agree|want me to|want us to|like me to|acceptable|ok|okay)",
);
const INDIRECT = defineLineTest(
  () => /^ (?:why|who|how many|whether|what|when do|where) (?:[^ ]+ )?(?:be|do|did|have|has) /,
);
const CAN_I = defineLineTest(() => / (?:can|may|could|shall|should|might|would|will) (?:i|we|you|it|this) /);
const ASKS_WHICH = defineLineTest(() => /^ (?:why|who|where|how many|how much|what|which) /);
const WHAT_IF = defineLineTest(() => / what if /);
const ASKS = defineLineTest(
  () =>
    /^ (?:so |and |but |, )*(?:why|who|whom|where|when|how|which|what|whose|be|do|have|does|did|has|was|were|is|are) /,
);

/** A question about what is so, and not whether to do it. */
export const isQuestionOfFacts = (sentence: Sentence): boolean => {
  const { line } = sentence;
  const says = (test: LineTest): boolean => passes(test, line, sentence);
  if (says(WHY_DO_NOT) || fitsAnywhere(sentence, MAY_I)) return false;
  if (!sentence.question) return says(INDIRECT);
  return says(CAN_I) ? says(ASKS_WHICH) && !says(WHAT_IF) : says(ASKS);
};
