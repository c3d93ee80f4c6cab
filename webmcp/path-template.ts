export type PathTemplate = {
  /** Fixed text and parameter names, in turn: `/a/{b}/c` is ["/a/", "/c"] with the name "b" between. */
  texts: readonly string[];
  names: readonly string[];
};

/** Unreserved characters, and no segment that begins with a dot: no URL parser touches such a path. */
const PLAIN = /^(?:\/[\w~-][\w.~-]*)+\/?$/;

/** Splits a path template, or says why it is none that a URL keeps as it is. */
export const parsePathTemplate = (path: string): PathTemplate | string => {
  if (!path.startsWith("/") || path.startsWith("//")) return "the path does not start with exactly one slash";
  const parts = path.split(/\{([^{}]*)\}/);
  const texts = parts.filter((_, index) => index % 2 === 0);
  const names = parts.filter((_, index) => index % 2 === 1);
  if (texts.some((text) => /[{}]/.test(text))) return "the braces of the path do not pair up";
  if (names.includes("")) return "the path has a parameter without a name";
  if (new Set(names).size < names.length) return "the path names one parameter twice";
  // A URL parser rewrites spaces, backslashes, "..", "?" and the like: then the request would go elsewhere.
  const sample = texts.join("x");
  if (!PLAIN.test(sample) && new URL(`https://template.invalid${sample}`).pathname !== sample)
    return "a URL would not keep the path as it is written";
  return { texts, names };
};
