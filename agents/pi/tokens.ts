import type { Json } from "../json.ts";
import { readTokens, type TokenClasses } from "../token-classes.ts";

export const piTokens = (usage: Json): TokenClasses =>
  readTokens(usage, {
    input: "input",
    cacheRead: "cacheRead",
    cacheWrite: "cacheWrite",
    output: "output",
  });
