/**
 * Files of which only a part decides what a check finds: a dependency may be added to package.json, its scripts
 * may not be changed. Each answers with the sealed part of a text, in one order; equal parts are unchanged.
 */
const PARTS: readonly (readonly [RegExp, (text: string, base: string) => string])[] = [
  [/(?:^|\/)package\.json$/, (text, base) => jsonPart(withoutNewScripts(text, base), MANIFEST_KEYS)],
  [/(?:^|\/)composer\.json$/, (text) => jsonPart(text, /^(?:scripts|config|repositories)$/)],
  [
    /(?:^|\/)deno\.jsonc?$/,
    (text) => jsonPart(text, /^(?:tasks|lint|fmt|test|bench|compilerOptions|imports|patch|links)$/),
  ],
  [
    /(?:^|\/)pyproject\.toml$/,
    (text) =>
      tomlPart(
        text,
        /^(?:tool\.(?!poetry\.(?:group\.[\w-]+\.)?dependencies|uv\.sources|hatch\.version)|build-system)/,
      ),
  ],
  [
    /(?:^|\/)Cargo\.toml$/,
    (text) =>
      tomlPart(text, /^(?:lints|workspace\.lints|profile|patch|replace|test|bench|lib)/) +
      lines(text, /^\s*(?:autotests|autobenches|harness|test|doctest|build|rust-version)\s*=/),
  ],
  [/(?:^|\/)go\.mod$/, (text) => lines(text, /^\s*(?:replace|exclude|go|toolchain|tool)\b|=>/)],
];

/** Keys of package.json that run something, set a tool up, or put one package in the place of another. */
const MANIFEST_KEYS =
  /^(?:scripts|config|type|imports|packageManager|engines|devEngines|volta|workspaces|overrides|resolutions|pnpm|patchedDependencies|bundledDependencies|bundleDependencies|jest|vitest|mocha|ava|tap|c8|nyc|jasmine|playwright|cypress|babel|browserslist|eslintConfig|eslintIgnore|xo|standard|prettier|stylelint|biome|oxlint|lint-staged|husky|simple-git-hooks|pre-commit|pre-push|lefthook|wireit|nx|agent)$/;

/** npm runs these without being asked for them by name. */
const RUN_UNASKED = /^(?:pre|post)|^(?:install|prepare|prepack|publish|dependencies|version|uninstall|test)$/;

/** A script that is new, and that nothing runs unasked, changes no check. */
const withoutNewScripts = (text: string, base: string): string => {
  try {
    const [now, before] = [text, base].map((one) => JSON.parse(one) as Record<string, unknown>);
    const scripts = now?.["scripts"];
    if (!isRecord(scripts)) return text;
    const known = isRecord(before?.["scripts"]) ? before["scripts"] : {};
    const kept = Object.entries(scripts).filter(
      ([name]) => Object.hasOwn(known, name) || RUN_UNASKED.test(name),
    );
    const isNone = kept.length === 0 && before?.["scripts"] === undefined;
    return JSON.stringify({ ...now, scripts: isNone ? undefined : Object.fromEntries(kept) });
  } catch {
    return text;
  }
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const jsonPart = (text: string, keys: RegExp): string => {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return text; // what cannot be read is sealed whole
  }
  if (!isRecord(value)) return text;
  const kept = Object.keys(value).filter((key) => keys.test(key));
  return JSON.stringify(
    Object.fromEntries(kept.toSorted().map((key) => [key, sorted(value[key])])),
    undefined,
    2,
  );
};

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
};

/** The tables of a TOML file whose name matches, with their lines; comments and blank lines do not count. */
const tomlPart = (text: string, tables: RegExp): string => {
  const kept: string[] = [];
  let isKept = false;
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?/.exec(line)?.[1]?.replaceAll(/["']/g, "");
    if (name !== undefined) isKept = tables.test(name);
    if (isKept && /^\s*[^#\s]/.test(line)) kept.push(line.trim());
  }
  return kept.join("\n");
};

const lines = (text: string, wanted: RegExp): string =>
  text
    .split(/\r?\n/)
    .filter((line) => wanted.test(line))
    .map((line) => `\n${line.trim()}`)
    .join("");

/** The part of a sealed file that is sealed; undefined where all of it is. `base` is its text at the start. */
export const sealedPart = (path: string, text: string, base: string): string | undefined =>
  PARTS.find(([files]) => files.test(path))?.[1](text, base);

export const isPartlySealed = (path: string): boolean => PARTS.some(([files]) => files.test(path));
