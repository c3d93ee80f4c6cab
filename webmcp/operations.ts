import type { OperationPlace } from "./compile-operation.ts";
import { refuse, type Problems } from "./compile-problems.ts";
import { isObject, own, pointerTo } from "./json.ts";

const METHODS = ["get", "post", "delete", "put", "patch", "head", "options", "trace", "query"];
const ENABLED = "x-webmcp-enabled";

/** Every operation of the document, by path and then by method: the order of its keys says nothing. */
export const listOperations = (document: unknown, problems: Problems): OperationPlace[] => {
  const paths = isObject(document) ? (own(document, "paths") ?? {}) : {};
  if (!isObject(paths)) {
    refuse(problems, {
      pointer: "/paths",
      rule: "document",
      message: "paths is not an object",
      fix: "Write path items under paths",
    });
    return [];
  }
  return Object.keys(paths)
    .sort()
    .flatMap((path) => {
      const pathItem = paths[path];
      if (!isObject(pathItem) || path.startsWith("x-")) return [];
      const pathItemPointer = pointerTo("/paths", path);
      checkPathItem(document, pathItem, pathItemPointer, { ...problems, operation: path });
      return Object.keys(pathItem)
        .sort(byMethod)
        .flatMap((key) => {
          const operation = pathItem[key];
          if (!isObject(operation) || !isMethod(key, operation)) return [];
          const pointer = pointerTo(pathItemPointer, key);
          return [{ method: key.toUpperCase(), path, pointer, operation, pathItem, pathItemPointer }];
        });
    });
};

/** A misspelt method that carries the flag is an operation too: it must fail, not vanish. */
const isMethod = (key: string, value: object): boolean =>
  METHODS.includes(key) || Object.hasOwn(value, ENABLED);

/** Methods that are none come last. */
const rank = (method: string): number => {
  const at = METHODS.indexOf(method);
  return at === -1 ? METHODS.length : at;
};

const byMethod = (a: string, b: string): number => rank(a) - rank(b) || (a < b ? -1 : 1);

const hasEnabled = (pathItem: unknown): boolean =>
  isObject(pathItem) &&
  Object.values(pathItem).some((operation) => isObject(operation) && own(operation, ENABLED) === true);

/** What a reference within the document points at; undefined when it points elsewhere. */
const findTarget = (document: unknown, reference: unknown): unknown => {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let found = document;
  for (const step of reference.slice(2).split("/"))
    found = isObject(found) ? own(found, step.replaceAll("~1", "/").replaceAll("~0", "~")) : undefined;
  return found;
};

const checkPathItem = (
  document: unknown,
  pathItem: Readonly<Record<string, unknown>>,
  pointer: string,
  problems: Problems,
): void => {
  const reference = own(pathItem, "$ref");
  if (reference !== undefined && (hasEnabled(pathItem) || hasEnabled(findTarget(document, reference))))
    refuse(problems, {
      pointer: `${pointer}/$ref`,
      rule: "reference",
      message: "references are not supported",
      fix: "Write what the path refers to in its place",
    });
  const flag = own(pathItem, ENABLED);
  if (flag !== undefined && flag !== false)
    refuse(problems, {
      pointer: `${pointer}/${ENABLED}`,
      rule: "enabled-flag",
      message: `${ENABLED} on a path enables nothing`,
      fix: "Move it into the operations it is meant for",
    });
};

/** Only OpenAPI 3.1 keeps JSON Schema's meaning of the keywords. */
export const checkVersion = (document: unknown, problems: Problems): void => {
  const version = isObject(document) ? own(document, "openapi") : undefined;
  if (typeof version === "string" && /^3\.1\.\d+/.test(version)) return;
  refuse(problems, {
    pointer: "/openapi",
    rule: "openapi-version",
    message:
      version === undefined
        ? "the document names no OpenAPI version"
        : `OpenAPI ${JSON.stringify(version)} is not supported`,
    fix: "Convert the document to OpenAPI 3.1",
  });
};
