import { WebMcpInputError, type InputFault } from "./errors.ts";
import { own } from "./json.ts";
import { readOrigin } from "./origin.ts";
import { parsePathTemplate, type PathTemplate } from "./path-template.ts";
import type { GeneratedTool } from "./types.ts";
import { createValidator } from "./validate.ts";

type Plan = { validate: (input: unknown) => InputFault[]; template: PathTemplate };

/** A tool is plain data; what it takes to check and build its requests is worked out once. */
const plans = new WeakMap<GeneratedTool, Plan>();

const planOf = (tool: GeneratedTool): Plan => {
  const known = plans.get(tool);
  if (known !== undefined) return known;
  const template = parsePathTemplate(tool.operation.path);
  if (typeof template === "string") throw new TypeError(`${tool.name}: ${template}`);
  const plan = { validate: createValidator(tool.inputSchema), template };
  plans.set(tool, plan);
  return plan;
};

/** Lists everything that is wrong with a tool's input; an empty list means a request can be built. */
export const validateInput = (tool: GeneratedTool, input: unknown): InputFault[] => {
  const faults = planOf(tool).validate(input);
  if (faults.length > 0) return faults;
  const { pathParameters, queryParameters } = tool.operation;
  const values = input as Readonly<Record<string, unknown>>;
  for (const name of pathParameters) checkSegment(name, String(values[name]), faults);
  for (const name of queryParameters)
    if (hasLoneSurrogate(own(values, name)))
      faults.push({ path: `/${name}`, reason: "must be well-formed Unicode" });
  return faults;
};

/**
 * Validates the input and builds the request that the tool's operation describes, for `origin` (scheme, host
 * and port). Nothing in the input can change the origin or leave the path template.
 * @throws WebMcpInputError when the input is wrong; TypeError when `origin` is not an http(s) origin.
 */
export const buildRequest = (
  tool: GeneratedTool,
  input: Record<string, unknown>,
  origin: string,
): Request => {
  const faults = validateInput(tool, input);
  if (faults.length > 0) throw new WebMcpInputError(tool.name, faults);
  const url = buildUrl(tool, input, checkOrigin(origin));
  const { method, hasBody } = tool.operation;
  const body = hasBody ? own(input, "body") : undefined;
  if (body === undefined) return new Request(url, { method, headers: { accept: "application/json" } });
  return new Request(url, {
    method,
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
};

const buildUrl = (tool: GeneratedTool, input: Record<string, unknown>, origin: string): string => {
  const { texts, names } = planOf(tool).template;
  const path = texts
    .map((text, index) => {
      const name = names[index];
      return name === undefined ? text : text + encodeURIComponent(scalarText(input[name]));
    })
    .join("");
  const query = new URLSearchParams();
  for (const name of tool.operation.queryParameters) {
    const value = own(input, name);
    if (value !== undefined) query.append(name, scalarText(value));
  }
  const encoded = query.toString();
  const search = encoded === "" ? "" : `?${encoded}`;
  const url = new URL(origin + path + search);
  // The proof: the parser kept what was built, so the request is for this origin and matches the template.
  if (url.href !== origin + path + search)
    throw new WebMcpInputError(tool.name, [{ path: "", reason: "would change the path of the request" }]);
  return url.href;
};

/** Minus zero is zero in JSON, and in a URL. */
const scalarText = (value: unknown): string => (value === 0 ? "0" : String(value));

/** Unreserved characters after one that is no dot: nothing that any server could read as more than a name. */
const PLAIN_SEGMENT = /^[\w~-][\w.~-]*$/;

/** Many servers decode %2F before they route: no part of the value may climb or vanish there either. */
const checkSegment = (name: string, value: string, faults: InputFault[]): void => {
  if (PLAIN_SEGMENT.test(value)) return;
  const path = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  if (value === "") faults.push({ path, reason: "must not be empty in a path" });
  else if (hasLoneSurrogate(value)) faults.push({ path, reason: "must be well-formed Unicode" });
  else if (/[\u0000-\u001F\u007F]/.test(value))
    faults.push({ path, reason: "must not contain control characters in a path" });
  else if (value.split(/[/\\]/).some((segment) => segment === "." || segment === ".."))
    faults.push({ path, reason: "must not be a . or .. segment of the path" });
};

const hasLoneSurrogate = (value: unknown): boolean =>
  typeof value === "string" && /\p{Surrogate}/u.test(value);

/** The origin as a URL parser writes it; refuses credentials, paths and other schemes. */
const checkOrigin = (text: string): string => {
  const origin = readOrigin(text, ["https:", "http:"]);
  if (origin === undefined)
    throw new TypeError(`origin must be like https://example.com, without path or credentials: ${text}`);
  return origin;
};
