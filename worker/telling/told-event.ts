import type { NightEvent } from "../../client/server-client.ts";
import { redactSecrets } from "../../core/redaction.ts";
import { reasonLine } from "../../verdict/describe-verdict.ts";
import { ACCEPTED } from "../../verdict/receipt/statement.ts";
import { criticStopOf } from "../state/critic-stop.ts";
import type { VerdictRecord, WorkerState } from "../state/worker-state.ts";

/** Something that happened, as the server is told. `text` is what is long. */
export type ToldEvent = NightEvent;

export type Told = Pick<ToldEvent, "kind" | "data" | "text">;

const TEXT_CHARS = 64 * 1024;
const FIELD_CHARS = 2_000;
const LIST_LENGTH = 200;

export const cutText = (text: string, most = TEXT_CHARS): string =>
  text.length > most ? `${text.slice(0, most)}\n[… ${text.length - most} characters cut]` : text;

/** A value within bounds and without secrets; what is nested deeper than a list of fields goes. */
const clean = (value: unknown, depth = 0): unknown => {
  if (typeof value === "string") return redactSecrets(cutText(value, FIELD_CHARS));
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (depth > 3 || value === null || typeof value !== "object") return undefined;
  if (Array.isArray(value)) return value.slice(0, LIST_LENGTH).map((one) => clean(one, depth + 1) ?? "");
  return pick(value as Record<string, unknown>, undefined, depth + 1);
};

const pick = (
  data: Record<string, unknown>,
  names: readonly string[] = Object.keys(data).slice(0, 50),
  depth = 0,
): Record<string, unknown> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = clean(data[name], depth);
      return value === undefined ? [] : [[name, value]];
    }),
  );

const textOf = (data: Record<string, unknown>, name: string): Pick<Told, "text"> => {
  const text = data[name];
  return typeof text === "string" && text !== "" ? { text: cutText(redactSecrets(text)) } : {};
};

type Read = (data: Record<string, unknown>) => Told | undefined;

const fields =
  (kind: string, ...names: string[]): Read =>
  (data) => ({ kind, data: pick(data, names) });

/** What of a worker's events the server is told: of each kind what the page shows, and nothing of the prompt. */
const TOLD: Readonly<Record<string, Read>> = {
  "session-begin": fields("session-begin", "max"),
  gates: (data) => ({
    kind: "gates",
    data: pick(data, ["when", "verdict", "exitCode", "problem", "firstError"]),
    ...textOf(data, "report"),
  }),
  memory: (data) => ({
    kind: "memory",
    data: pick(data, ["status", "count", "receipt", "problem"]),
    ...textOf(data, "text"),
  }),
  "memory-outcome": fields("memory-outcome", "outcome", "credited"),
  recall: fields("recall", "status", "problem", "memories"),
  rescue: (data) => ({ kind: "rescue", data: pick(data) }),
  status: fields("status", "from", "to"),
  decision: fields("decision", "kind", "reason", "status", "untilMs", "remarks"),
  "rate-limit": fields("rate-limit", "message", "resetsAtMs"),
  end: fields("end", "status", "reason"),
  "tool-end": (data) => {
    const reason = criticStopOf(data);
    return reason === undefined ? undefined : { kind: "critic-stop", data: pick({ reason }) };
  },
  "session-end": fields(
    "session-end",
    "endReason",
    "costUsd",
    "tokens",
    "tokensByClass",
    "model",
    "conversationId",
    "contextTokens",
    "windowTokens",
    "error",
    "rescueRef",
    "acknowledgement",
    "acknowledged",
    "criticStops",
    "isCounted",
    "hasChanged",
  ),
};

/** One of a worker's events in the server's words; undefined for what it is not told. */
export const toTold = (type: string, data: Record<string, unknown>): Told | undefined => TOLD[type]?.(data);

/** A verdict as it is kept: its word, its reasons as lines, and where its receipt is. */
export const toldVerdict = ({ word, accepted, reasons, where, head, receipt }: VerdictRecord): Told => ({
  kind: "verdict",
  data: pick({
    verdict: accepted ? ACCEPTED : word,
    reasons: reasons.slice(0, 20).map(reasonLine),
    acceptedBy: accepted?.by,
    where,
    head,
    receipt,
  }),
});

/** How full the context is, and what the session has cost so far; undefined before there is anything to say. */
export const usageOf = ({ sessions }: Pick<WorkerState, "sessions">): Told | undefined => {
  const record = sessions.at(-1);
  if (record?.contextTokens === undefined || record.endedAt !== undefined) return undefined;
  return {
    kind: "usage",
    data: pick({ ...record }, ["contextTokens", "windowTokens", "costUsd", "tokens", "tokensByClass"]),
  };
};
