import { type Json, sumAt } from "./json.ts";
import type { Usage } from "./store.ts";

/** Tokens as vendors bill them; `output` holds the reasoning, and no token is in two classes. */
export type TokenClasses = { input: number; cacheRead: number; cacheWrite: number; output: number };

/** By which names an agent tells the classes. */
export type TokenNames = Readonly<Record<keyof TokenClasses, string>>;

export const readTokens = (from: Json, names: TokenNames): TokenClasses => ({
  input: sumAt(from, names.input),
  cacheRead: sumAt(from, names.cacheRead),
  cacheWrite: sumAt(from, names.cacheWrite),
  output: sumAt(from, names.output),
});

/** What the next request carries of a call: all that it was sent, and what it answered. */
export const contextTokensOf = ({ input, cacheRead, cacheWrite, output }: TokenClasses): number =>
  input + cacheRead + cacheWrite + output;

/** The usage of a message; one that failed or was cut short carries zeros, which are no figures. */
export const usageOfTokens = ({ input, cacheRead, cacheWrite, output }: TokenClasses): Usage | undefined => {
  const inputTokens = input + cacheRead + cacheWrite;
  return inputTokens === 0 ? undefined : { inputTokens, outputTokens: output, isOutputExact: true };
};
