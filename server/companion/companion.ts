import { AppError } from "../../core/errors.ts";
import { companionDocument } from "./companion-document.ts";
import { BASE_PATH } from "./layout.ts";
import * as person from "./person.ts";
import { PAGE_SCRIPT } from "./page-script.ts";
import { STYLE } from "./style.ts";
import { type CompanionPorts, createToolCalls } from "./tool-calls.ts";

export type ServerCompanion = {
  /** Answers everything under `/__companion`. @throws AppError like the rest of the API */
  answer: (request: Request) => Promise<Response>;
};

/** The server's own tools for browser agents, and the person's side of them. */
export const createServerCompanion = (ports: CompanionPorts): ServerCompanion => {
  const side: person.Side = { ports, calls: createToolCalls(ports) };
  return {
    answer: async (request) => {
      const { pathname } = new URL(request.url);
      const steps = pathname.slice(BASE_PATH.length + 1).split("/");
      const response = await (request.method === "POST"
        ? change(side, request, steps)
        : read(side, request, steps));
      if (response === undefined) throw new AppError("not-found", `There is no ${pathname} here`);
      return response;
    },
  };
};

type Answering = Promise<Response | undefined>;

const read = async (
  side: person.Side,
  request: Request,
  [area = "", name = "", part]: string[],
): Answering => {
  if (area === "") return person.showHome(side, request);
  if (area === "style.css") return asset(STYLE, "text/css");
  if (area === "page.js") return asset(PAGE_SCRIPT, "text/javascript");
  if (area === "openapi.json") return Response.json(companionDocument(side.ports.document()));
  if (area === "approvals" && name === "") return person.showApprovals(side, request);
  if (area === "approvals" && part === undefined) return person.showApproval(side, request, name);
  if (area === "approvals" && part === "outcome") return person.showOutcome(side, request, name);
  if (area === "tools" && part === undefined) return person.showTool(side, request, name);
  return side.calls.companion().handle(request);
};

const change = async (
  side: person.Side,
  request: Request,
  [area = "", name = "", part]: string[],
): Answering => {
  if (area === "approvals" && part === undefined) return person.takeDecision(side, request, name);
  if (area === "tools" && part === undefined) return person.prepareByForm(side, request, name);
  return area === "call" ? side.calls.call(request) : side.calls.companion().handle(request);
};

const asset = (text: string, type: string): Response =>
  new Response(text, { headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "no-cache" } });
