import type { GeneratedTool, InputFault, JsonSchema } from "../../webmcp/index.ts";
import { markup, withCode, type Html } from "./html.ts";

/** One field of a tool's form; a JSON body's properties are fields named `body.<property>`. */
type Field = { name: string; pointer: string; schema: JsonSchema; required: boolean };

export const listFields = ({ inputSchema }: GeneratedTool): Field[] =>
  Object.entries(inputSchema.properties).flatMap(([name, schema]) => {
    const required = inputSchema.required.includes(name);
    if (name !== "body" || schema.type !== "object") return [{ name, pointer: `/${name}`, schema, required }];
    return Object.entries(schema.properties ?? {}).map(([member, inner]) => ({
      name: `body.${member}`,
      pointer: `/body/${member}`,
      schema: inner,
      required: schema.required?.includes(member) === true,
    }));
  });

/** What a person typed, as the tool's input; an empty field counts as not given. */
export const readForm = (tool: GeneratedTool, values: URLSearchParams): Record<string, unknown> => {
  const input: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const { name, schema } of listFields(tool)) {
    const text = values.get(name) ?? "";
    if (text === "") continue;
    if (name.startsWith("body.")) body[name.slice("body.".length)] = toValue(text, schema);
    else input[name] = toValue(text, schema);
  }
  const needsBody = tool.inputSchema.required.includes("body");
  return needsBody || Object.keys(body).length > 0 ? { ...input, body } : input;
};

const toValue = (text: string, schema: JsonSchema): unknown => {
  if (schema.type === "integer" || schema.type === "number") return Number(text);
  if (schema.type === "boolean") return text === "true";
  if (schema.type === "array") return text.split("\n").filter((line) => line !== "");
  return text;
};

/** A tool's form, with what was typed before and what was wrong with it. */
export const renderForm = (
  tool: GeneratedTool,
  { values, faults }: { values: URLSearchParams; faults: readonly InputFault[] },
): Html => {
  const changes = tool.operation.requiresApproval;
  const rows = listFields(tool).map((field) => renderField(field, values.get(field.name) ?? "", faults));
  return markup`<form class="tool" method="${changes ? "post" : "get"}">
    ${rows} ${changes ? markup`` : markup`<input type="hidden" name="run" value="1" />`}
    <div><button class="primary">${changes ? "Review change" : "Run"}</button></div>
  </form>`;
};

const renderField = (
  { name, pointer, schema, required }: Field,
  value: string,
  faults: readonly InputFault[],
): Html => {
  const missing = `must have the property ${name.replace(/^body\./, "")}`;
  const wrong = faults.filter(({ path, reason }) => path === pointer || reason === missing);
  const label = name.replace(/^body\./, "");
  return markup`<label
    >${label}${required ? "" : " (optional)"}
    ${schema.description === undefined ? undefined : markup`<small>${withCode(schema.description)}</small>`}
    ${renderControl(name, schema, { value, required })}
    ${wrong.map(({ reason }) => markup`<span class="problem">${reason}</span>`)}
  </label>`;
};

const LONG_TEXT = 300;

const renderControl = (
  name: string,
  schema: JsonSchema,
  { value, required }: { value: string; required: boolean },
): Html => {
  const need = required ? markup` required` : markup``;
  const choices = schema.type === "boolean" ? ["true", "false"] : schema.enum?.map(String);
  if (choices !== undefined)
    return markup`<select name="${name}" ${need}>
      <option value=""></option>
      ${choices.map(
        (choice) => markup`<option${choice === value ? markup` selected` : markup``}>${choice}</option>`,
      )}
    </select>`;
  if (schema.type === "integer" || schema.type === "number")
    return markup`<input
      type="number"
      name="${name}"
      value="${value}"
      step="${schema.type === "integer" ? 1 : "any"}"
      ${need}
    />`;
  const isLong = schema.type === "array" || (schema.maxLength ?? 0) > LONG_TEXT;
  return isLong
    ? markup`<textarea name="${name}" rows="4" ${need}>${value}</textarea>`
    : markup`<input name="${name}" value="${value}" ${need} />`;
};
