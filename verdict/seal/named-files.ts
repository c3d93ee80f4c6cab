import { posix } from "node:path";
import { isTestPath } from "./sealed-files.ts";

/** Text with a place: what stands in it is meant from its folder, or from the top. */
export type NamingText = { path: string; text: string };

const TOKEN = /[A-Za-z0-9_@.~/-]*[A-Za-z0-9_-]\.?[A-Za-z0-9_-]+/g;
/** What is loaded before the tests, or in place of something: sealed even where tests lie. */
const LOADED_FIRST =
  /(?:--import|--require|--loader|--experimental-loader|--setup|--env-file|--config|-r|-c|--rcfile|setupFiles\w*|globalSetup|globalTeardown|testEnvironment|snapshotSerializers|resolver|preset|reporters?|runner)["']?\s*[=:]?\s*\[?\s*["']?$/;
const SOURCE_FOLDER = /^(?:src|lib|app|source|pkg|internal|cmd|packages\/[^/]+\/(?:src|lib))\//;

const endings = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", ".sh"];

/** Files that these texts name, of those that there are: scripts that gates call, files loaded before tests. */
export const findNamed = (texts: readonly NamingText[], files: ReadonlySet<string>): Set<string> => {
  const found = new Set<string>();
  for (const { path, text } of texts)
    for (const match of text.matchAll(TOKEN)) {
      const isFirst = LOADED_FIRST.test(text.slice(Math.max(0, match.index - 60), match.index));
      const file = [posix.dirname(path), "."]
        .flatMap((folder) => endings.map((ending) => posix.join(folder, match[0] + ending)))
        .find((candidate) => files.has(candidate));
      if (file === undefined || file === path) continue;
      if (isFirst || (!isTestPath(file) && !SOURCE_FOLDER.test(file))) found.add(file);
    }
  return found;
};

const CHECKING = /test|spec|check|lint|type|verify|ci|cov|gate|format|fmt|pre|post|prepare/i;

/** The scripts of a manifest that check something, with all that they call: `npm test` is `pretest` and `test`. */
export const checkingScripts = (manifest: string): string[] => {
  try {
    const { scripts } = JSON.parse(manifest) as { scripts?: Record<string, unknown> };
    const known = Object.entries(scripts ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    const wanted = new Set(known.map(([name]) => name).filter((name) => CHECKING.test(name)));
    for (let size = -1; size !== wanted.size;) {
      size = wanted.size;
      for (const [name, command] of known)
        if (wanted.has(name))
          for (const [called] of known)
            if (new RegExp(`\\brun(?:-[sp])?\\s+${called.replaceAll(/[^\w-]/g, "\\$&")}\\b`).test(command))
              wanted.add(called);
    }
    return known.filter(([name]) => wanted.has(name)).map(([, command]) => command);
  } catch {
    return [];
  }
};
