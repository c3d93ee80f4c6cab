import { asJson, asText, type Json } from "../json.ts";
import type { JsonRecord } from "../jsonl.ts";
import { FORGOTTEN_TEXT } from "../store.ts";
import { findContext } from "./context.ts";
import { isMessageRecord, messageIdOf, uuidOf } from "./entries.ts";

export type ForkRequest = {
  remove: ReadonlySet<string>;
  stub: ReadonlySet<string>;
  sessionId: string;
};

/** Settings a session ends with; the last of each kind must survive (cozempic PR #102). */
const SETTINGS = ["permission-mode", "mode", "custom-title", "ai-title", "agent-name", "agent-color"];

const stubbed = (value: Json): Json => ({
  ...value,
  message: { role: "user", content: FORGOTTEN_TEXT },
});

/** Lines of one message stand together, its results after them, all else in the order of the file. */
const inSendingOrder = (records: readonly JsonRecord[]): JsonRecord[] => {
  const groups = new Map<string, JsonRecord[]>();
  for (const record of records) {
    const id = messageIdOf(record);
    const group = groups.get(id);
    if (group) group.push(record);
    else groups.set(id, [record]);
  }
  return [...groups.values()].flat();
};

/**
 * The live context of a session without the removed messages, as a session of its own: every line hangs
 * on the one before it, so that results which only a sibling branch held are on the chain again.
 */
export const forkRecords = (
  records: readonly JsonRecord[],
  { remove, stub, sessionId }: ForkRequest,
  isAgentFile = false,
): Json[] => {
  const { reached } = findContext(records, isAgentFile);
  const seen = new Set<string>();
  const live = records.filter((record) => {
    const uuid = uuidOf(record);
    if (!reached.has(uuid) || seen.has(uuid)) return false;
    seen.add(uuid);
    if (!isMessageRecord(record.value)) return isKeptNotice(record.value);
    return !remove.has(messageIdOf(record));
  });
  const lines = inSendingOrder(live);
  const kept = new Set(lines.map(uuidOf));
  let parent: string | null = null;
  const values = lines.map((record): Json => {
    const value: Json = { ...record.value, sessionId, uuid: uuidOf(record), parentUuid: parent };
    delete value["logicalParentUuid"];
    const source = asText(value["sourceToolAssistantUUID"]);
    if (source !== undefined && !kept.has(source)) value["sourceToolAssistantUUID"] = parent;
    parent = uuidOf(record);
    return stub.has(messageIdOf(record)) ? stubbed(value) : withoutSegment(value);
  });
  return [...settings(records, sessionId), ...microcompactions(records, sessionId), ...values];
};

/** Lines without a message that the model is sent, or that mark where its context begins. */
const isKeptNotice = (value: Json): boolean =>
  value["type"] === "attachment" || value["subtype"] === "compact_boundary";

/** In the fork the kept messages of a compaction follow its boundary in plain order. */
const withoutSegment = (value: Json): Json => {
  if (value["compactMetadata"] === undefined) return value;
  const { preservedSegment: _, ...metadata } = asJson(value["compactMetadata"]);
  return { ...value, compactMetadata: metadata };
};

const settings = (records: readonly JsonRecord[], sessionId: string): Json[] =>
  SETTINGS.flatMap((type) => {
    const last = records.findLast(({ value }) => value["type"] === type);
    return last ? [{ ...last.value, sessionId }] : [];
  });

// They clear results by call id, wherever they stand; first and unchained, they cannot become the leaf.
const microcompactions = (records: readonly JsonRecord[], sessionId: string): Json[] =>
  records
    .filter(({ value }) => value["subtype"] === "microcompact_boundary")
    .map(({ value }) => ({ ...value, sessionId, parentUuid: null }));
