import { type Json, objectAt, sumAt } from "../json.ts";
import type { TokenClasses } from "../token-classes.ts";

export const opencodeTokens = (tokens: Json): TokenClasses => ({
  input: sumAt(tokens, "input"),
  cacheRead: sumAt(objectAt(tokens, "cache"), "read"),
  cacheWrite: sumAt(objectAt(tokens, "cache"), "write"),
  output: sumAt(tokens, "output", "reasoning"),
  reasoning: sumAt(tokens, "reasoning"),
});
