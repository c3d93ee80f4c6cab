import { checkVisible, refuse, type Problems } from "./compile-problems.ts";
import { compileSchema } from "./compile-schema.ts";
import { isObject, own, pointerTo, type JsonObject } from "./json.ts";
import type { JsonSchema } from "./types.ts";

const MEDIA_TYPE = "application/json";

export type CompiledBody = { schema: JsonSchema; required: boolean };

/** The one JSON body of a POST; any other operation must have none. */
export const compileBody = (
  operation: JsonObject,
  method: string,
  operationPointer: string,
  problems: Problems,
): CompiledBody | undefined => {
  const pointer = `${operationPointer}/requestBody`;
  const body = own(operation, "requestBody");
  if (method !== "POST") {
    if (body !== undefined)
      refuse(problems, {
        pointer,
        rule: "request-body",
        message: `a ${method} with a body is not supported`,
        fix: "Remove requestBody",
      });
    return undefined;
  }
  const content = isObject(body) ? own(body, "content") : undefined;
  if (!isObject(body) || !isObject(content)) {
    const reference = isObject(body) && own(body, "$ref") !== undefined;
    refuse(problems, {
      pointer: reference ? `${pointer}/$ref` : body === undefined ? operationPointer : pointer,
      rule: reference ? "reference" : "request-body",
      message: reference ? "references are not supported" : "the POST has no JSON body",
      fix: `Add a requestBody with ${MEDIA_TYPE} and a schema`,
    });
    return undefined;
  }
  return compileContent(body, content, pointer, problems);
};

const compileContent = (
  body: JsonObject,
  content: JsonObject,
  pointer: string,
  problems: Problems,
): CompiledBody | undefined => {
  const description = own(body, "description");
  if (typeof description === "string") checkVisible(problems, description, `${pointer}/description`);
  const types = Object.keys(content);
  const media = own(content, MEDIA_TYPE);
  if (types.length !== 1 || !isObject(media))
    refuse(problems, {
      pointer: `${pointer}/content`,
      rule: "media-type",
      message: `the body is ${types.join(", ") || "of no media type"}, not exactly one ${MEDIA_TYPE}`,
      fix: `Keep only ${MEDIA_TYPE}`,
    });
  if (!isObject(media)) return undefined;
  const at = `${pointerTo(`${pointer}/content`, MEDIA_TYPE)}/schema`;
  const schema = compileSchema(own(media, "schema"), { pointer: at, ancestors: [] }, problems);
  // OpenAPI's default is false; a tool that forgets its body should be told, not sent without one.
  const required = own(body, "required") !== false;
  if (schema.description !== undefined || typeof description !== "string" || description === "")
    return { schema, required };
  const { type, ...rest } = schema;
  return { schema: { ...(type === undefined ? {} : { type }), description, ...rest }, required };
};
