/** What one deployment may hold (the specification's limits), and bounds that keep a request cheap. */
export type Limits = {
  maxFiles: number;
  maxFileBytes: number;
  maxSiteBytes: number;
  maxPathChars: number;
  maxRuleFileBytes: number;
};

const MIB = 1024 * 1024;

export const LIMITS: Limits = {
  maxFiles: 500,
  maxFileBytes: 10 * MIB,
  maxSiteBytes: 50 * MIB,
  maxPathChars: 512,
  /** `_headers` and `_redirects` are parsed on the event loop: a page of rules, not a database. */
  maxRuleFileBytes: 256 * 1024,
};
