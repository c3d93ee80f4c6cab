import { buildRequest, validateInput } from "./build-request.ts";
import type { InputFault } from "./errors.ts";
import { isObject, type JsonObject } from "./json.ts";
import { cancel, discard, readBounded } from "./read-bounded.ts";
import { isJsonType, whyNotSameOrigin } from "./same-origin.ts";
import type { GeneratedTool } from "./types.ts";

/** What a dispatch or an approval may answer at most; the same as the default of the static bootstrap. */
export const MAX_RESPONSE_BYTES = 262_144;

export type CallPorts = {
  dispatch: (request: Request, tool: GeneratedTool) => Response | Promise<Response>;
  prepareWrite?:
    | ((
        request: Request,
        tool: GeneratedTool,
        input: Record<string, unknown>,
      ) => Response | undefined | Promise<Response | undefined>)
    | undefined;
  maxInputBytes: number;
};

/** Takes one call of a tool from the request that a browser sent to the response it gets. Never throws. */
export const callTool = async (
  request: Request,
  tool: GeneratedTool | undefined,
  ports: CallPorts,
): Promise<Response> => {
  const elsewhere = whyNotSameOrigin(request);
  if (elsewhere !== undefined) return refusal(403, "cross_site", elsewhere);
  if (!isJsonType(request.headers.get("content-type")))
    return refusal(415, "unsupported_media_type", "the call must be application/json");
  if (tool === undefined) return refusal(404, "tool_not_found", "there is no tool of that name");
  const bytes = await readBounded(request, ports.maxInputBytes, discard).catch(() => null);
  if (bytes === null) return refusal(400, "bad_input", "the call could not be read to its end");
  if (bytes === undefined)
    return refusal(413, "input_too_large", `the input is larger than ${ports.maxInputBytes} bytes`);
  const input = parseInput(bytes);
  if (input === undefined) return refusal(400, "bad_input", "the input must be a JSON object");
  const faults = validateInput(tool, input);
  if (faults.length > 0) return invalidInput(faults);
  return sendOn(request, tool, input, ports);
};

/** An error as a tool's caller reads it. */
export const refusal = (status: number, error: string, reason: string, more: JsonObject = {}): Response =>
  new Response(JSON.stringify({ error, path: "", reason, ...more }), { status, headers: RESULT_HEADERS });

const RESULT_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

const invalidInput = (faults: readonly InputFault[]): Response => {
  const [first] = faults;
  return refusal(400, "invalid_input", first?.reason ?? "", { path: first?.path ?? "", errors: faults });
};

const parseInput = (bytes: Uint8Array): Record<string, unknown> | undefined => {
  try {
    const input: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(input) ? { ...input } : undefined;
  } catch {
    return undefined;
  }
};

/** Requests under way. An abort reaches a request that was made of another only while nothing collects either of them. */
const underWay = new Set<Request>();

const sendOn = async (
  request: Request,
  tool: GeneratedTool,
  input: Record<string, unknown>,
  { dispatch, prepareWrite }: CallPorts,
): Promise<Response> => {
  const held: Request[] = [request];
  try {
    const built = buildRequest(tool, input, new URL(request.url).origin);
    // A caller that goes away takes its request with it.
    const outbound = new Request(built, { signal: request.signal });
    held.push(outbound);
    for (const each of held) underWay.add(each);
    const answer = tool.operation.requiresApproval
      ? await prepareWrite?.(outbound, tool, input)
      : await dispatch(outbound, tool);
    if (answer === undefined || answer === null)
      return tool.operation.requiresApproval
        ? refusal(409, "approval_required", "the change needs a person's approval and none was prepared")
        : refusal(502, "dispatch_failed", "the operation gave no answer");
    return await boundResponse(answer);
  } catch {
    // What went wrong in there may name files, hosts or secrets; a model and a page learn only that it did.
    return refusal(502, "dispatch_failed", "the operation failed");
  } finally {
    for (const each of held) underWay.delete(each);
  }
};

const boundResponse = async (answer: Response): Promise<Response> => {
  const body = await readBounded(answer, MAX_RESPONSE_BYTES, cancel);
  if (body === undefined)
    return refusal(502, "response_too_large", `the answer is larger than ${MAX_RESPONSE_BYTES} bytes`);
  const headers = new Headers(answer.headers);
  // The body has been read: how it was coded and cut on its way here no longer holds.
  for (const name of ["content-encoding", "content-length", "transfer-encoding", "connection"])
    headers.delete(name);
  headers.set("cache-control", "no-store");
  headers.set("x-content-type-options", "nosniff");
  const empty = [101, 204, 205, 304].includes(answer.status);
  return new Response(empty ? null : body, { status: answer.status, statusText: answer.statusText, headers });
};
