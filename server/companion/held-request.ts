import type { GeneratedTool } from "../../webmcp/index.ts";
import type { HeldRequest } from "../auth/approvals/approval.ts";

/** A tool's request as it is kept and shown. */
export const toHeldRequest = async (request: Request, tool: GeneratedTool): Promise<HeldRequest> => {
  const { pathname, search } = new URL(request.url);
  return {
    tool: tool.name,
    method: request.method,
    target: pathname + search,
    contentType: request.headers.get("content-type") ?? "",
    body: await request.text(),
  };
};

/** The request again, byte for byte. */
export const fromHeldRequest = (
  { method, target, contentType, body }: HeldRequest,
  origin: string,
): Request =>
  new Request(origin + target, {
    method,
    headers: contentType === "" ? {} : { "content-type": contentType },
    body: body === "" ? null : body,
  });
