import { errorFingerprint } from "../loop/decide-next.ts";
import type { WorkerEvent } from "./read-news.ts";

/** One error as a worker's events tell it. */
export type FoundError = { at: string; session: number; fingerprint: string; message: string };

const REPEATED_TOOL_FAILURES = 3;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

const firstLine = (text: string): string => text.trim().split("\n")[0]?.slice(0, 400) ?? "";

const messageOf = (event: WorkerEvent): string | undefined => {
  switch (event.type) {
    case "ended":
      return event["reason"] === "error" || event["reason"] === "not-started"
        ? `session ended with an error: ${textOf(event["message"]) || "the agent said nothing"}`
        : undefined;
    case "gates":
      return event["verdict"] === "blocked"
        ? `gates blocked: ${textOf(event["firstError"]) || textOf(event["problem"]) || `exit ${numberOf(event["exitCode"])}`}`
        : undefined;
    case "end":
      return event["status"] === "failed" || event["status"] === "stalled"
        ? `worker ${textOf(event["status"])}: ${textOf(event["reason"])}`
        : undefined;
    default:
      return undefined;
  }
};

/** Tools that fail now and then are work; the same one failing again and again in a session is an error. */
const toolErrors = (events: readonly WorkerEvent[]): { at: string; session: number; message: string }[] => {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const found: { at: string; session: number; message: string }[] = [];
  for (const event of events) {
    const session = numberOf(event["session"]);
    const id = `${session} ${textOf(event["id"])}`;
    if (event.type === "tool-start")
      names.set(id, `${textOf(event["name"])} ${textOf(event["summary"])}`.trim());
    if (event.type !== "tool-end" || event["isError"] !== true) continue;
    const name = names.get(id);
    if (name === undefined) continue;
    const key = `${session} ${errorFingerprint(name)}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count === REPEATED_TOOL_FAILURES)
      found.push({ at: event.at, session, message: `tool failed ${count} times: ${firstLine(name)}` });
  }
  return found;
};

/** The errors in a stretch of a worker's events, each with the fingerprint that groups it. */
export const findErrors = (events: readonly WorkerEvent[]): FoundError[] => {
  let session = 0;
  const plain = events.flatMap((event) => {
    if (typeof event["session"] === "number") session = event["session"];
    const message = messageOf(event);
    return message === undefined ? [] : [{ at: event.at, session, message: firstLine(message) }];
  });
  return [...plain, ...toolErrors(events)]
    .map((error) => ({ ...error, fingerprint: errorFingerprint(error.message) }))
    .toSorted((a, b) => a.at.localeCompare(b.at));
};
