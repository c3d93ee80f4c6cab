import { AppError } from "../../../core/errors.ts";
import { type Static, Type } from "../../../core/schema.ts";
import type { Access } from "../../auth/scopes.ts";
import { cleanJson, cleanText } from "../store/clean-text.ts";
import { learn } from "../answers/learn.ts";
import { writableScope } from "../../auth/scopes.ts";
import type { MemoryPorts } from "../answers/ask.ts";
import { oneLine } from "../ranking/render-prompt.ts";
import type { Handoff, ProjectState } from "../store/store.ts";
import { iso } from "../../../core/clock.ts";
import { RESOLVED } from "../answers/views.ts";

const MAX_STATE_BYTES = 256 * 1024;

const DEFAULT_STATUS = "active";

export const etagOf = ({ revision }: ProjectState): string => `"${revision}"`;

/**
 * The revision that a change expects: If-Match with an ETag of this document, `If-None-Match: *` for "there
 * is none yet", neither for a change that does not mind.
 */
export const expectedRevision = (headers: {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}): number | undefined => {
  if (headers.ifNoneMatch?.trim() === "*") return 0;
  if (headers.ifMatch === undefined) return undefined;
  const revision = /^"(\d{1,15})"$/.exec(headers.ifMatch.trim())?.[1];
  if (revision === undefined)
    throw new AppError(
      "precondition-failed",
      `If-Match ${headers.ifMatch} is no ETag of a state; it looks like "3"`,
    );
  return Number(revision);
};

export const getState = async (ports: MemoryPorts, project: string): Promise<ProjectState> => {
  const state = await ports.stores.states.find(project);
  if (!state) throw new AppError("not-found", `There is no state of "${project}"; PUT one to begin`);
  return state;
};

type Change = { project: string; body: Record<string, unknown>; expected: number | undefined };

/** PUT replaces the document, PATCH merges its top level (null takes a member out). */
export const changeState = async (
  ports: MemoryPorts,
  access: Access,
  { project, body, expected, merge }: Change & { merge: boolean },
): Promise<ProjectState> => {
  await ports.countWrite(access.writer);
  const { status, updatedBy: _ignored, ...rest } = cleanDocument(body);
  return ports.stores.states.change(project, {
    writer: access.writer,
    expected,
    apply: (present) => {
      const merged = merge ? { ...present?.state, ...rest } : rest;
      const state = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
      const next = typeof status === "string" ? status : merge ? present?.status : undefined;
      return { status: next ?? DEFAULT_STATUS, state };
    },
  });
};

const MAX_EVENTS = 200;

/** Appends an event to the document's `events`, of which the newest are kept. */
export const addEvent = async (
  ports: MemoryPorts,
  access: Access,
  { project, body, expected }: Change,
): Promise<ProjectState> => {
  await ports.countWrite(access.writer);
  const event = { at: iso(ports.now()), by: access.writer, ...cleanDocument(body) };
  return ports.stores.states.change(project, {
    writer: access.writer,
    expected,
    apply: (present) => {
      const before = present?.state["events"];
      const events = [...(Array.isArray(before) ? (before as unknown[]) : []), event].slice(-MAX_EVENTS);
      return { status: present?.status ?? DEFAULT_STATUS, state: { ...present?.state, events } };
    },
  });
};

/** Closes a project's state and, when asked, keeps what it says as a learning. */
export const resolveState = async (
  ports: MemoryPorts,
  access: Access,
  { project, body, expected }: Change,
): Promise<ProjectState & { learningId?: string }> => {
  await ports.countWrite(access.writer);
  await getState(ports, project);
  const state = await ports.stores.states.change(project, {
    writer: access.writer,
    expected,
    apply: (present) => ({ status: RESOLVED, state: present?.state ?? {} }),
  });
  if (body["persistToLearn"] !== true) return state;
  const { learning } = await learn(
    ports,
    {
      writer: access.writer,
      scope: writableScope(access, typeof body["scope"] === "string" ? body["scope"] : undefined),
    },
    { type: "state", trigger: `the state of ${project}`, learning: summarize(state), project },
  );
  return { ...state, learningId: learning.id };
};

const summarize = ({ state }: ProjectState): string =>
  Object.entries(state)
    .filter(([name]) => name !== "events")
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n")
    .slice(0, 8000) || "nothing was noted";

const cleanDocument = (body: Record<string, unknown>): Record<string, unknown> => {
  const clean = cleanJson(body) as Record<string, unknown>;
  if (JSON.stringify(clean).length > MAX_STATE_BYTES)
    throw new AppError("too-large", `A document may have ${MAX_STATE_BYTES} bytes`, {
      details: { maxBytes: MAX_STATE_BYTES },
    });
  return clean;
};

export const putHandoff = async (
  ports: MemoryPorts,
  access: Access,
  body: Record<string, unknown> & { sessionId: string },
): Promise<Handoff> => {
  await ports.countWrite(access.writer);
  const { sessionId, ...rest } = body;
  return ports.stores.handoffs.put(
    cleanText(sessionId),
    { authoredBy: access.writer, ...cleanDocument(rest) },
    access.writer,
  );
};

export const getHandoff = async (ports: MemoryPorts, id: string): Promise<Handoff> => {
  const handoff = await ports.stores.handoffs.find(id);
  if (!handoff) throw new AppError("not-found", `There is no handoff ${id}`);
  return handoff;
};

export const HandoffView = Type.Object(
  { id: Type.String(), sessionId: Type.String(), createdAt: Type.String(), updatedAt: Type.String() },
  { additionalProperties: true, description: "with what the session told" },
);

export const viewHandoff = ({
  id,
  sessionId,
  createdAt,
  updatedAt,
  body,
}: Handoff): Static<typeof HandoffView> => ({
  ...body,
  id,
  sessionId,
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
});

const HEADINGS: Record<string, string> = {
  whatShipped: "Shipped",
  whatBlessed: "Learned",
  whatRemains: "Remains",
  nextVerify: "Verify next",
  links: "Links",
};

/** A handoff as a note; every item is one line, so that no item can pose as a heading. */
export const handoffMarkdown = ({ sessionId, body }: Handoff): string => {
  const summary = typeof body["summary"] === "string" ? [oneLine(body["summary"]), ""] : [];
  const sections = Object.entries(HEADINGS).flatMap(([name, heading]) => {
    const items = body[name];
    if (!Array.isArray(items) || items.length === 0) return [];
    return [`## ${heading}`, ...(items as unknown[]).map((item) => `- ${oneLine(itemText(item))}`), ""];
  });
  return [`# Handoff of ${oneLine(sessionId)}`, "", ...summary, ...sections].join("\n");
};

const itemText = (item: unknown): string => (typeof item === "string" ? item : JSON.stringify(item));
