import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type ObjectProperty, parseSync } from "oxc-parser";

const TSCONFIG = /^(?:ts|js)config.*\.json$/;

const keyOf = ({ key }: ObjectProperty): string | undefined =>
  key.type === "Literal" ? String(key.value) : key.type === "Identifier" ? key.name : undefined;

/** What a tsconfig says it `extends`. Comments and trailing commas stand in such files, so it is read as an expression. */
const readExtends = (file: string): string[] => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return []; // tsc names it
  }
  const [statement] = parseSync("config.ts", `(${text.replace(/^\uFEFF/, "")}\n)`).program.body;
  if (statement?.type !== "ExpressionStatement") return [];
  const { expression } = statement;
  const value = expression.type === "ParenthesizedExpression" ? expression.expression : expression;
  if (value.type !== "ObjectExpression") return [];
  return value.properties.flatMap((property) => {
    if (property.type !== "Property" || keyOf(property) !== "extends") return [];
    const named = property.value.type === "ArrayExpression" ? property.value.elements : [property.value];
    return named.flatMap((node) =>
      node?.type === "Literal" && typeof node.value === "string" ? [node.value] : [],
    );
  });
};

const firstFile = (path: string): string | undefined =>
  [path, `${path}.json`, join(path, "tsconfig.json")].find(
    (name) => name.endsWith(".json") && existsSync(name),
  );

/** The file that `extends` means: a path beside the config, or a package in a node_modules above it. */
const findExtended = (named: string, folder: string): string | undefined => {
  if (/^(?:\.{1,2}(?:\/|$)|\/|[A-Za-z]:)/.test(named)) return firstFile(resolve(folder, named));
  const found = firstFile(join(folder, "node_modules", named));
  const up = dirname(folder);
  return found ?? (up === folder ? undefined : findExtended(named, up));
};

/**
 * The files that the project's tsconfigs extend and that are none of its own: one further up, one of a
 * package. Relative to the root.
 */
export const listExtendedConfigs = (files: readonly string[], root: string): string[] => {
  const own = files.filter((file) => TSCONFIG.test(basename(file))).map((file) => join(root, file));
  const seen = new Set(own);
  for (const config of seen)
    for (const named of readExtends(config)) {
      const found = findExtended(named, dirname(config));
      if (found !== undefined) seen.add(found);
    }
  return [...seen].slice(own.length).map((path) => relative(root, path).replaceAll("\\", "/"));
};
