/** Tokens as vendors bill them; `output` holds the reasoning, and no token is in two classes. */
export type TokenClasses = { input: number; cacheRead: number; cacheWrite: number; output: number };
