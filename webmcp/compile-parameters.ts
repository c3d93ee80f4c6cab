import { checkVisible, refuse, type Problems } from "./compile-problems.ts";
import { compileSchema } from "./compile-schema.ts";
import { isObject, own, pointerTo, type JsonObject } from "./json.ts";
import { parsePathTemplate } from "./path-template.ts";
import type { JsonSchema } from "./types.ts";

/** The property that carries the JSON body; no parameter may have its name. */
export const BODY_PROPERTY = "body";

export type CompiledParameter = {
  name: string;
  location: "path" | "query";
  required: boolean;
  schema: JsonSchema;
};

type Declared = { parameter: JsonObject; pointer: string };

/** All parameters of an operation: its own, and those of its path item that it does not declare again. */
export const compileParameters = (
  operation: JsonObject,
  pathItem: JsonObject,
  pointers: { operation: string; pathItem: string },
  problems: Problems,
): CompiledParameter[] => {
  const mine = listDeclared(own(operation, "parameters"), `${pointers.operation}/parameters`, problems);
  const shared = listDeclared(own(pathItem, "parameters"), `${pointers.pathItem}/parameters`, problems);
  const key = ({ parameter }: Declared): string => `${String(parameter["in"])} ${String(parameter["name"])}`;
  const overridden = new Set(mine.map(key));
  const declared = [...shared.filter((entry) => !overridden.has(key(entry))), ...mine];
  const compiled = declared
    .map((entry) => compileParameter(entry, problems))
    .filter((parameter) => parameter !== undefined);
  refuseRepeated(compiled, pointers.operation, problems);
  return compiled;
};

/** Every name in the template is a path parameter, and every path parameter is in the template. */
export const checkTemplate = (
  path: string,
  parameters: readonly CompiledParameter[],
  pointer: string,
  problems: Problems,
): void => {
  const mismatch = (message: string, fix: string): void =>
    refuse(problems, { pointer, rule: "path-template", message, fix });
  const template = parsePathTemplate(path);
  if (typeof template === "string")
    return mismatch(template, "Write the path as a URL keeps it, for example /books/{id}");
  const names = parameters.filter(({ location }) => location === "path").map(({ name }) => name);
  for (const name of template.names)
    if (!names.includes(name))
      mismatch(`{${name}} in the path has no path parameter`, `Declare the path parameter ${name}`);
  for (const name of names)
    if (!template.names.includes(name))
      mismatch(
        `the path parameter ${name} is not in the path`,
        `Put {${name}} into the path or remove the parameter`,
      );
};

const listDeclared = (parameters: unknown, pointer: string, problems: Problems): Declared[] => {
  if (parameters === undefined) return [];
  if (!Array.isArray(parameters)) {
    refuse(problems, {
      pointer,
      rule: "parameter",
      message: "parameters is not a list",
      fix: "Write a list of parameters",
    });
    return [];
  }
  return parameters.flatMap((parameter: unknown, index) => {
    const at = pointerTo(pointer, index);
    if (isObject(parameter) && own(parameter, "$ref") === undefined) return [{ parameter, pointer: at }];
    const reference = isObject(parameter);
    refuse(problems, {
      pointer: reference ? `${at}/$ref` : at,
      rule: reference ? "reference" : "parameter",
      message: reference ? "references are not supported" : "the parameter is not an object",
      fix: "Write the parameter in its place",
    });
    return [];
  });
};

const compileParameter = (
  { parameter, pointer }: Declared,
  problems: Problems,
): CompiledParameter | undefined => {
  const say = (key: string, rule: string, message: string, fix: string): void =>
    refuse(problems, { pointer: key === "" ? pointer : `${pointer}/${key}`, rule, message, fix });
  const name = own(parameter, "name");
  const location = own(parameter, "in");
  if (typeof name !== "string" || name === "") {
    say("name", "parameter-name", "the parameter has no name", "Give it a name");
    return undefined;
  }
  if (location !== "path" && location !== "query") {
    say(
      "in",
      "parameter-location",
      `${JSON.stringify(location)} parameters are not supported (${name})`,
      "Remove it, or let your dispatch function set it",
    );
    return undefined;
  }
  checkVisible(problems, name, `${pointer}/name`);
  if (name === BODY_PROPERTY)
    say(
      "name",
      "parameter-name",
      `the name ${BODY_PROPERTY} is kept for the JSON body`,
      "Rename the parameter",
    );
  checkStyle(parameter, location, say);
  const required = own(parameter, "required") === true;
  if (location === "path" && !required)
    say("required", "parameter-required", `the path parameter ${name} is not required`, "Add required: true");
  return { name, location, required, schema: compileScalar(parameter, name, pointer, problems) };
};

const checkStyle = (
  parameter: JsonObject,
  location: "path" | "query",
  say: (key: string, rule: string, message: string, fix: string) => void,
): void => {
  const style = own(parameter, "style");
  const [plain, explode] = location === "path" ? ["simple", false] : ["form", true];
  if (style !== undefined && style !== plain)
    say(
      "style",
      "parameter-style",
      `the style ${JSON.stringify(style)} is not supported`,
      `Remove style or use ${plain}`,
    );
  if (own(parameter, "explode") !== undefined && own(parameter, "explode") !== explode)
    say(
      "explode",
      "parameter-style",
      `explode: ${String(!explode)} is not supported in a ${location} parameter`,
      "Remove explode",
    );
  for (const key of ["allowReserved", "allowEmptyValue"])
    if (own(parameter, key) === true) say(key, "parameter-style", `${key} is not supported`, `Remove ${key}`);
  if (own(parameter, "content") !== undefined)
    say(
      "content",
      "parameter-style",
      "a parameter with content is not supported",
      "Give it a schema instead",
    );
};

const compileScalar = (
  parameter: JsonObject,
  name: string,
  pointer: string,
  problems: Problems,
): JsonSchema => {
  const description = own(parameter, "description");
  if (typeof description === "string") checkVisible(problems, description, `${pointer}/description`);
  if (own(parameter, "schema") === undefined) {
    if (own(parameter, "content") === undefined)
      refuse(problems, {
        pointer,
        rule: "parameter-schema",
        message: `the parameter ${name} has no schema`,
        fix: "Add a schema with a type",
      });
    return {};
  }
  const schema = compileSchema(
    parameter["schema"],
    { pointer: `${pointer}/schema`, ancestors: [] },
    problems,
  );
  if (schema.type === "object" || schema.type === "array")
    refuse(problems, {
      pointer: `${pointer}/schema/type`,
      rule: "parameter-schema",
      message: `the parameter ${name} is not a single value`,
      fix: "Use string, boolean, integer or number, or move it into a POST body",
    });
  if (typeof description !== "string" || description === "") return schema;
  const { type, ...rest } = schema;
  return { ...(type === undefined ? {} : { type }), ...rest, description };
};

const refuseRepeated = (
  parameters: readonly CompiledParameter[],
  pointer: string,
  problems: Problems,
): void => {
  const seen = new Set<string>();
  for (const { name } of parameters) {
    if (seen.has(name))
      refuse(problems, {
        pointer: `${pointer}/parameters`,
        rule: "parameter-name",
        message: `two parameters are named ${name}`,
        fix: "Rename one: a tool's input is flat",
      });
    seen.add(name);
  }
};
