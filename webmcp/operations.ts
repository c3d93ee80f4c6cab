import type { OperationPlace } from "./compile-operation.ts";
import { refuse, type Problems } from "./compile-problems.ts";
import { isObject, type JsonObject, own, pointerTo } from "./json.ts";

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
  refuseReference(document, paths, "/paths", problems);
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
          const label = `${key.toUpperCase()} ${path}`;
          refuseReference(document, operation, pointer, { ...problems, operation: label });
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

/** Anything but false counts: a flag that is written wrongly is refused elsewhere. */
const hasFlag = (value: unknown): boolean =>
  isObject(value) && own(value, ENABLED) !== undefined && own(value, ENABLED) !== false;

/** What a reference within the document points at; undefined when it points elsewhere or at nothing. */
const findTarget = (document: unknown, reference: unknown): unknown => {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let found = document;
  for (const step of reference.slice(2).split("/"))
    found = isObject(found) ? own(found, step.replaceAll("~1", "/").replaceAll("~0", "~")) : undefined;
  return found;
};

/** Whether what stands here, and all that it refers to, is in this document and enables nothing. */
const isKnownToEnableNothing = (document: unknown, value: unknown, seen = new Set<unknown>()): boolean => {
  if (!isObject(value) || hasFlag(value) || Object.values(value).some(hasFlag)) return false;
  if (seen.has(value)) return true;
  seen.add(value);
  const reference = own(value, "$ref");
  if (reference !== undefined && !isKnownToEnableNothing(document, findTarget(document, reference), seen))
    return false;
  return Object.keys(value)
    .filter((key) => METHODS.includes(key) && isObject(value[key]))
    .every((key) => isKnownToEnableNothing(document, value[key], seen));
};

/** A reference is not followed; it is let pass only where it cannot hide an operation that is enabled. */
const refuseReference = (document: unknown, value: JsonObject, pointer: string, problems: Problems): void => {
  if (own(value, "$ref") === undefined) return;
  // Who wrote beside it that it is not enabled has decided. All paths together may refer nowhere.
  if (own(value, ENABLED) === false || (pointer !== "/paths" && isKnownToEnableNothing(document, value)))
    return;
  refuse(problems, {
    pointer: `${pointer}/$ref`,
    rule: "reference",
    message: "references are not supported, and this one may hide an operation that is enabled",
    fix: "Write what it refers to in its place",
  });
};

const checkPathItem = (
  document: unknown,
  pathItem: JsonObject,
  pointer: string,
  problems: Problems,
): void => {
  refuseReference(document, pathItem, pointer, problems);
  if (hasFlag(pathItem))
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
