import type { Json } from "../json.ts";
import { readTokens, type TokenClasses } from "../token-classes.ts";

export const shelleyTokens = (usage: Json): TokenClasses =>
  readTokens(usage, {
    input: "input_tokens",
    cacheRead: "cache_read_input_tokens",
    cacheWrite: "cache_creation_input_tokens",
    output: "output_tokens",
  });
