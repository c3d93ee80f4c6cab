import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { ApiDocument } from "./api-reference.ts";

type Schema = { [keyword: string]: unknown };

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The same schema with every object closed: a member that it does not name is a fault. */
export const closed = (schema: Schema, isPart = false): Schema => {
  const walk = (value: unknown, part = false): unknown =>
    Array.isArray(value)
      ? value.map((one) => walk(one, part))
      : isSchema(value)
        ? closed(value, part)
        : value;
  const inside = Object.entries(schema).map(([keyword, value]) => {
    if ((keyword === "properties" || keyword === "patternProperties") && isSchema(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one)]))];
    if (keyword === "allOf") return [keyword, walk(value, true)];
    return [keyword, ["anyOf", "oneOf", "items"].includes(keyword) ? walk(value) : value];
  });
  const isObject = ("properties" in schema || "allOf" in schema) && schema["additionalProperties"] !== true;
  return { ...Object.fromEntries(inside), ...(isObject && !isPart ? { unevaluatedProperties: false } : {}) };
};

type Got = { method: string; path: string; status: number; json: unknown };

/** Holds answers against the OpenAPI document of the server that gave them: nothing missing, nothing undeclared. */
export const createContract = (document: ApiDocument) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  const compiled = new Map<string, ValidateFunction>();
  const routes = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    operations,
    fits: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
  }));
  return ({ method, path, status, json }: Got): void => {
    const at = path.split("?")[0] ?? "";
    const found = routes.find((route) => route.path === at) ?? routes.find(({ fits }) => fits.test(at));
    const content = found?.operations[method.toLowerCase()]?.responses?.[status]?.content;
    const schema = (content?.["application/json"] ?? content?.["application/problem+json"])?.schema;
    if (!found || !schema) return;
    const key = `${method} ${found.path} ${status}`;
    const validate = compiled.get(key) ?? ajv.compile(closed(schema));
    compiled.set(key, validate);
    if (!validate(json))
      throw new Error(
        `${key} answered what the OpenAPI document does not say: ${JSON.stringify(validate.errors?.map(({ instancePath, message, params }) => [instancePath, message, params]))} in ${JSON.stringify(json)}`,
      );
  };
};
