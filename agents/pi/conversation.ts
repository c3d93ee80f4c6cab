import { makeConversation, titleOf } from "../make-conversation.ts";
import { asJson, asNumber, asText, type Json } from "../json.ts";
import type { JsonLines, JsonRecord } from "../jsonl.ts";
import type { Conversation, Message, Source } from "../store.ts";
import { idOf, messageOf, withContent } from "./entries.ts";

export type PiTree = {
  header: JsonRecord | undefined;
  entries: JsonRecord[];
  /** from the root to the last entry of the file */
  path: JsonRecord[];
  /** index in `path` of the last compaction, if there is one */
  compaction: number;
  /** index in `path` of the first entry a compaction kept */
  firstKept: number;
};

/** The tree of a session. The last entry is the leaf; a missing parent ends the walk, as it does for pi. */
export const readTree = (records: readonly JsonRecord[]): PiTree => {
  const header = records.find(({ value }) => value["type"] === "session");
  const entries = records.filter((record) => record !== header);
  const byId = new Map(entries.map((entry) => [idOf(entry), entry]));
  const path: JsonRecord[] = [];
  if (isTree(entries)) {
    const seen = new Set<JsonRecord>();
    for (let at = entries.at(-1); at && !seen.has(at);) {
      seen.add(at);
      path.unshift(at);
      const parent = asText(at.value["parentId"]);
      at = parent === undefined ? undefined : byId.get(parent);
    }
  } else path.push(...entries);
  const compaction = path.findLastIndex(({ value }) => value["type"] === "compaction");
  const kept = firstKeptOf(path[compaction]?.value ?? {}, records);
  const at = path.findIndex((entry) => idOf(entry) === kept);
  return { header, entries, path, compaction, firstKept: at === -1 ? compaction : at };
};

/** The first version counted entries, header included, where later ones name an id. */
export const firstKeptOf = (value: Json, records: readonly JsonRecord[]): string | undefined => {
  const index = asNumber(value["firstKeptEntryIndex"]);
  const record = index === undefined ? undefined : records[index];
  return record ? idOf(record) : asText(value["firstKeptEntryId"]);
};

export const isTree = (entries: readonly JsonRecord[]): boolean =>
  entries.some(({ value }) => asText(value["id"]) !== undefined);

/** Entries of the path whose messages are sent, in the order of sending: summary first, then what it kept. */
export const sentEntries = ({ path, compaction, firstKept }: PiTree): JsonRecord[] => {
  const summary = path[compaction];
  if (!summary) return path;
  const before = path.slice(firstKept, compaction).filter(({ value }) => value["type"] !== "compaction");
  return [summary, ...before, ...path.slice(compaction + 1)];
};

/** What pi sends in the place of an entry, since 0.87: the last word on a branch counts, and `null` leaves it out. */
const readEdits = (path: readonly JsonRecord[]): ReadonlyMap<string, unknown> =>
  new Map(
    path
      .filter(({ value }) => value["type"] === "context_edit")
      .map(({ value }) => [asText(value["targetId"]) ?? "", value["replacement"] ?? null]),
  );

const toMessages = (tree: PiTree): Message[] => {
  const sent = sentEntries(tree);
  const edits = readEdits(tree.path);
  const asSent = (entry: JsonRecord): Message | undefined => {
    const content = edits.get(idOf(entry));
    const message = messageOf(
      content === undefined || content === null ? entry : withContent(entry, content),
    );
    if (content === null && message?.context === "in") message.context = "excluded";
    return message;
  };
  const isSent = new Set(sent);
  const onPath = new Set(tree.path);
  const others = tree.entries.filter((entry) => !isSent.has(entry));
  const left = others.flatMap((entry) => {
    const message = messageOf(entry);
    if (message?.context === "in") message.context = onPath.has(entry) ? "compacted" : "branch";
    return message ?? [];
  });
  return [...left, ...sent.flatMap((entry) => asSent(entry) ?? [])];
};

/** A session as pi would load it. */
export const toConversation = (
  source: Pick<Source, "id" | "path" | "isSubAgent">,
  lines: JsonLines,
): Conversation => {
  const tree = readTree(lines.records);
  const messages = toMessages(tree);
  const faults = [...lines.faults];
  if (!tree.header) faults.push("the session header is missing: pi will not open this file");
  const model = messages.findLast((message) => message.model)?.model;
  const answer = tree.path.findLast(
    ({ value }) => model !== undefined && asJson(value["message"])["model"] === model,
  );
  const provider = asText(asJson(answer?.value["message"])["provider"]);
  const named = tree.path.findLast(({ value }) => value["type"] === "session_info")?.value["name"];
  const prompt = messages.find((message) => message.role === "user")?.parts[0]?.text;
  const title = asText(named) ?? titleOf(prompt);
  const dir = asText(tree.header?.value["cwd"]);
  return makeConversation(source, { agent: "pi", messages, faults, title, dir, model, provider });
};
