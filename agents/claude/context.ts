import { asJson, asList, asText, asTime, isJson, type Json } from "../json.ts";
import type { JsonRecord } from "../jsonl.ts";
import { isMessageRecord, messageIdOf, uuidOf } from "./entries.ts";

/** The lines of a transcript that Claude Code sends with the next request, and why others stay out. */
export type ClaudeContext = {
  /** uuids of message lines that are sent */
  reached: ReadonlySet<string>;
  /** tool calls whose results the agent has emptied (microcompaction) */
  cleared: ReadonlySet<string>;
  /** index of the record where the context begins: the last compaction, else 0 */
  cut: number;
};

type Node = { record: JsonRecord; index: number; parent: string | undefined };

const isSidechain = (value: Json): boolean => value["isSidechain"] === true;

const toNodes = (records: readonly JsonRecord[]): Map<string, Node> => {
  const nodes = new Map<string, Node>();
  let previous: string | undefined;
  for (const [index, record] of records.entries()) {
    const { value } = record;
    const isLoose = value["parentUuid"] === undefined;
    if (asText(value["uuid"]) === undefined && !isMessageRecord(value)) continue;
    const uuid = uuidOf(record);
    // Versions before the tree format wrote no parents: each line follows the one before it.
    nodes.set(uuid, { record, index, parent: isLoose ? previous : asText(value["parentUuid"]) });
    if (isMessageRecord(value)) previous = uuid;
  }
  return nodes;
};

const callIdsOf = (record: JsonRecord, key: "id" | "tool_use_id"): string[] =>
  asList(asJson(record.value["message"])["content"])
    .filter(isJson)
    .filter((block) => (key === "id" ? String(block["type"]).endsWith("tool_use") : true))
    .flatMap((block) => asText(block[key]) ?? []);

const findLeaf = (nodes: Map<string, Node>, isAgentFile: boolean): string | undefined => {
  let leaf: string | undefined;
  for (const [uuid, { record }] of nodes) {
    const { value } = record;
    if (!isAgentFile && isSidechain(value)) continue;
    if (isMessageRecord(value) || value["subtype"] === "compact_boundary") leaf = uuid;
  }
  return leaf;
};

/** Messages a compaction kept beside its summary: from `headUuid` to `tailUuid`. */
const preserved = (nodes: Map<string, Node>, boundary: Json): string[] => {
  const segment = asJson(asJson(boundary["compactMetadata"])["preservedSegment"]);
  const head = asText(segment["headUuid"]);
  const kept: string[] = [];
  for (let uuid = asText(segment["tailUuid"]); uuid !== undefined; uuid = nodes.get(uuid)?.parent) {
    if (kept.includes(uuid)) break;
    kept.push(uuid);
    if (uuid === head) return kept;
  }
  return [];
};

const BRIDGED_MS = 5000;

/**
 * Where a line's parent is missing (or the chain goes round), Claude Code 2.1.197 goes on with the line next before
 * it in time, if that is no more than five seconds older.
 */
const findNearest = (
  nodes: Map<string, Node>,
  { record: { value } }: Node,
  seen: ReadonlySet<string>,
): string | undefined => {
  const atMs = asTime(value["timestamp"]);
  let nearest: string | undefined;
  let leastMs = BRIDGED_MS + 1;
  for (const [uuid, { record }] of nodes) {
    const beforeMs = (atMs ?? Number.NaN) - (asTime(record.value["timestamp"]) ?? Number.NaN);
    const isCandidate = !seen.has(uuid) && isSidechain(record.value) === isSidechain(value);
    if (!isCandidate || !(beforeMs >= 0 && beforeMs < leastMs)) continue;
    leastMs = beforeMs;
    nearest = uuid;
  }
  return nearest;
};

const walk = (nodes: Map<string, Node>, leaf: string | undefined): { seen: Set<string>; cut: number } => {
  const seen = new Set<string>();
  for (let uuid = leaf; uuid !== undefined && !seen.has(uuid);) {
    const node = nodes.get(uuid);
    if (!node) break;
    seen.add(uuid);
    if (node.record.value["subtype"] === "compact_boundary") {
      for (const kept of preserved(nodes, node.record.value)) seen.add(kept);
      return { seen, cut: node.index };
    }
    const { parent } = node;
    const isThere = parent === undefined || (nodes.has(parent) && !seen.has(parent));
    uuid = isThere ? parent : findNearest(nodes, node, seen);
  }
  return { seen, cut: 0 };
};

/** Where the live chain ends at a line whose parent is missing, and the line before it that it can hang on. */
const findGap = (
  records: readonly JsonRecord[],
  isAgentFile: boolean,
): { at: JsonRecord; parent: string } | undefined => {
  const nodes = toNodes(records);
  const { seen } = walk(nodes, findLeaf(nodes, isAgentFile));
  const root = [...seen].at(-1);
  const node = root === undefined ? undefined : nodes.get(root);
  if (!node || node.parent === undefined || node.record.value["subtype"] === "compact_boundary")
    return undefined;
  const before = [...nodes].findLast(
    ([uuid, { record, index }]) =>
      index < node.index && !seen.has(uuid) && (isAgentFile || !isSidechain(record.value)),
  );
  return before && { at: node.record, parent: before[0] };
};

/** The records with every gap of the live chain closed; undefined when it has none. */
export const closeGaps = (records: readonly JsonRecord[], isAgentFile: boolean): JsonRecord[] | undefined => {
  let closed: JsonRecord[] | undefined;
  for (let gap = findGap(records, isAgentFile); gap; gap = findGap(closed, isAgentFile)) {
    const { at, parent } = gap;
    closed = (closed ?? records).map((record) =>
      record === at ? { ...record, value: { ...record.value, parentUuid: parent } } : record,
    );
  }
  return closed;
};

/**
 * The chain from the live leaf to the last compaction, and what a chain alone loses: the other lines of
 * a split message, and the results of parallel calls, which hang on sibling branches.
 */
export const findContext = (records: readonly JsonRecord[], isAgentFile: boolean): ClaudeContext => {
  const nodes = toNodes(records);
  const { seen, cut } = walk(nodes, findLeaf(nodes, isAgentFile));
  const messageIds = new Set<string>();
  const calls = new Set<string>();
  const addCalls = (record: JsonRecord) => {
    for (const id of callIdsOf(record, "id")) calls.add(id);
  };
  for (const uuid of seen) {
    const record = nodes.get(uuid)?.record;
    if (record?.value["type"] !== "assistant") continue;
    messageIds.add(messageIdOf(record));
    addCalls(record);
  }
  for (const [uuid, { record, index }] of nodes) {
    if (seen.has(uuid) || index < cut || (isSidechain(record.value) && !isAgentFile)) continue;
    const isPart = record.value["type"] === "assistant" && messageIds.has(messageIdOf(record));
    const isResult = callIdsOf(record, "tool_use_id").some((id) => calls.has(id));
    if (!isPart && !isResult) continue;
    seen.add(uuid);
    addCalls(record);
  }
  return { reached: seen, cut, cleared: clearedCalls(records) };
};

const clearedCalls = (records: readonly JsonRecord[]): Set<string> =>
  new Set(
    records
      .filter(({ value }) => value["subtype"] === "microcompact_boundary")
      .flatMap(({ value }) => asList(asJson(value["microcompactMetadata"])["compactedToolIds"]))
      .flatMap((id) => asText(id) ?? []),
  );
