import { compileBody } from "./compile-body.ts";
import { BODY_PROPERTY, checkTemplate, compileParameters } from "./compile-parameters.ts";
import { checkVisible, refuse, type Problems } from "./compile-problems.ts";
import { own, type JsonObject } from "./json.ts";
import type { GeneratedTool, JsonSchema } from "./types.ts";

const ENABLED = "x-webmcp-enabled";
const APPROVAL = "x-webmcp-approval-required";
const METHODS = new Set(["GET", "POST", "DELETE"]);
/**
 * webmachinelearning/webmcp, registerTool: anything else makes the browser refuse the tool. Without "." and "..",
 * which a URL would swallow from the address of the tool's calls.
 */
const TOOL_NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,128}$/;

/** One operation where it stands in the document. */
export type OperationPlace = {
  /** Upper case, for example GET. */
  method: string;
  path: string;
  pointer: string;
  operation: JsonObject;
  pathItem: JsonObject;
  pathItemPointer: string;
};

/** Compiles one operation; every reason against it goes to `problems`, and the tool is then undefined. */
export const compileOperation = (place: OperationPlace, problems: Problems): GeneratedTool | undefined => {
  const before = problems.list.length;
  const { method, path, pointer, operation, pathItem, pathItemPointer } = place;
  checkMethod(place, problems);
  if (!METHODS.has(method)) return undefined;
  const name = compileName(place, problems);
  const texts = compileTexts(place, problems);
  const known = problems.list.length;
  const parameters = compileParameters(
    operation,
    pathItem,
    { operation: pointer, pathItem: pathItemPointer },
    problems,
  );
  // A parameter that was refused is missing from the template only for that reason.
  if (problems.list.length === known) checkTemplate(path, parameters, pathItemPointer, problems);
  const body = compileBody(operation, method, pointer, problems);
  if (problems.list.length > before) return undefined;
  const properties: [string, JsonSchema][] = parameters.map((parameter) => [
    parameter.name,
    parameter.schema,
  ]);
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  if (body !== undefined) properties.push([BODY_PROPERTY, body.schema]);
  if (body?.required === true) required.push(BODY_PROPERTY);
  const namesIn = (location: "path" | "query"): string[] =>
    parameters.filter((parameter) => parameter.location === location).map((parameter) => parameter.name);
  const writes = method !== "GET";
  return {
    name,
    ...texts,
    // fromEntries makes own properties even of names like __proto__.
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(properties),
      required,
      additionalProperties: false,
    },
    annotations: { readOnlyHint: !writes, consequentialHint: writes, untrustedContentHint: true },
    operation: {
      method: method as "GET" | "POST" | "DELETE",
      path,
      pathParameters: namesIn("path"),
      queryParameters: namesIn("query"),
      hasBody: body !== undefined,
      requiresApproval: writes,
    },
  };
};

/** True, false, or what stands there instead of either. */
export const readEnabled = (operation: JsonObject): boolean | { wrong: unknown } => {
  const flag = own(operation, ENABLED);
  return flag === undefined ? false : typeof flag === "boolean" ? flag : { wrong: flag };
};

/** The operation as it would be with the flags it needs, to say what else stands in its way. */
export const withFlags = (operation: JsonObject, method: string): JsonObject => ({
  ...operation,
  [ENABLED]: true,
  [APPROVAL]: method === "POST" || method === "DELETE",
});

const checkMethod = ({ method, pointer, operation }: OperationPlace, problems: Problems): void => {
  const say = (at: string, rule: string, message: string, fix: string): void =>
    refuse(problems, { pointer: at, rule, message, fix });
  if (typeof readEnabled(operation) === "object")
    say(
      `${pointer}/${ENABLED}`,
      "enabled-flag",
      `${ENABLED} is not true or false`,
      "Write true or false, without quotes",
    );
  if (!METHODS.has(method)) {
    say(
      pointer,
      "method",
      `${method} operations are not supported`,
      "Offer it as a GET, POST or DELETE, or leave it disabled",
    );
    return;
  }
  const approval = own(operation, APPROVAL);
  if (method === "GET") {
    if (approval !== undefined && approval !== false)
      say(
        `${pointer}/${APPROVAL}`,
        "approval-flag",
        "a GET changes nothing and cannot require approval",
        `Remove ${APPROVAL}`,
      );
  } else if (approval !== true)
    say(
      pointer,
      "approval-flag",
      `a ${method} changes data and must require approval`,
      `Add ${APPROVAL}: true`,
    );
};

const compileName = ({ pointer, operation }: OperationPlace, problems: Problems): string => {
  const name = own(operation, "operationId");
  if (typeof name === "string" && TOOL_NAME.test(name)) return name;
  const missing = name === undefined;
  refuse(problems, {
    pointer: missing ? pointer : `${pointer}/operationId`,
    rule: "operation-id",
    message: missing
      ? "the operation has no operationId"
      : `${JSON.stringify(name)} cannot be the name of a tool`,
    fix: "Use 1 to 128 of the characters A-Z a-z 0-9 _ . - as operationId",
  });
  return "";
};

const compileTexts = (
  { method, path, pointer, operation }: OperationPlace,
  problems: Problems,
): { title?: string; description: string } => {
  const text = (key: "summary" | "description"): string => {
    const value = own(operation, key);
    if (typeof value !== "string") return "";
    checkVisible(problems, value, `${pointer}/${key}`);
    return value.trim();
  };
  const summary = text("summary");
  const description = text("description");
  if (description === "") return { description: summary === "" ? `${method} ${path}` : summary };
  return summary === "" ? { description } : { title: summary, description };
};
