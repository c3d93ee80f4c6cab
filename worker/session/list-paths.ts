const LISTED_PATHS = 40;

/** Paths as a Markdown list of bounded length; a name with a line break stays on its line. */
export const listPaths = (paths: readonly string[]): string =>
  paths
    .slice(0, LISTED_PATHS)
    .map((path) => `- ${/[\n\r]/.test(path) ? JSON.stringify(path) : path}`)
    .concat(paths.length > LISTED_PATHS ? [`- … ${paths.length - LISTED_PATHS} more`] : [])
    .join("\n");
