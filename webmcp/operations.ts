import type { OperationPlace } from "./compile-operation.ts";
import { refuse, type Problems } from "./compile-problems.ts";
import { isObject, own, pointerTo } from "./json.ts";

const METHODS = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]);
const ENABLED = "x-webmcp-enabled";

/** Every operation of the document, in its order. */
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
  return Object.keys(paths).flatMap((path) => {
    const pathItem = paths[path];
    if (!isObject(pathItem) || path.startsWith("x-")) return [];
    const pathItemPointer = pointerTo("/paths", path);
    checkPathItem(pathItem, pathItemPointer, { ...problems, operation: path });
    return Object.keys(pathItem).flatMap((key) => {
      const operation = pathItem[key];
      if (!isObject(operation) || !isMethod(key, operation)) return [];
      const pointer = pointerTo(pathItemPointer, key);
      return [{ method: key.toUpperCase(), path, pointer, operation, pathItem, pathItemPointer }];
    });
  });
};

/** A misspelt method that carries the flag is an operation too: it must fail, not vanish. */
const isMethod = (key: string, value: object): boolean => METHODS.has(key) || Object.hasOwn(value, ENABLED);

const checkPathItem = (
  pathItem: Readonly<Record<string, unknown>>,
  pointer: string,
  problems: Problems,
): void => {
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
