import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { blankCopies, blankShown, tracesOf } from "../blank.ts";
import { asJson, asText, type Json } from "../json.ts";
import { type JsonLines, type JsonRecord, readJsonLines, toJsonLines } from "../jsonl.ts";
import type { Edit, EditWrite, ForgetRequest, Loaded, Source, Store } from "../store.ts";
import { closeGaps } from "./context.ts";
import { toConversation } from "./conversation.ts";
import { entriesOf, isMessageRecord, messageIdOf } from "./entries.ts";
import { forkRecords } from "./fork.ts";

type Raw = { source: Source; lines: JsonLines };

const load = (source: Source): Promise<Loaded> => {
  const lines = readJsonLines(readFileSync(source.path));
  return Promise.resolve({ conversation: toConversation(source, lines), raw: { source, lines } });
};

/** The live context of these records as a session of its own. */
const fork = (
  source: Source,
  records: readonly JsonRecord[],
  request: Omit<ForgetRequest, "nowMs">,
): Edit => {
  const sessionId = source.isSubAgent ? `agent-${request.newId().slice(0, 8)}` : request.newId();
  const values = forkRecords(records, { ...request, sessionId }, source.isSubAgent);
  const content = toJsonLines(values);
  const path = join(dirname(source.path), `${sessionId}.jsonl`);
  const { isSubAgent } = source;
  return {
    after: toConversation({ id: sessionId, path, isSubAgent }, readJsonLines(Buffer.from(content))),
    write: { kind: "files", changes: [{ path, content }] },
  };
};

const forget = ({ raw }: Loaded, request: ForgetRequest): Edit => {
  const { source, lines } = raw as Raw;
  return fork(source, lines.records, request);
};

const NONE: ReadonlySet<string> = new Set();

const mend: Store["mend"] = ({ raw }, { newId }) => {
  const { source, lines } = raw as Raw;
  const records = closeGaps(lines.records, source.isSubAgent);
  return records && fork(source, records, { remove: NONE, stub: NONE, newId });
};

/** Rewrites the transcript itself without the lines of the removed messages; children move to their parents. */
const purge = ({ raw }: Loaded, remove: ReadonlySet<string>): EditWrite => {
  const { source, lines } = raw as Raw;
  const parents = new Map<string, string | null>();
  const isRemoved = (record: (typeof lines.records)[number]) =>
    isMessageRecord(record.value) && remove.has(messageIdOf(record));
  for (const record of lines.records) {
    const uuid = asText(record.value["uuid"]);
    if (uuid !== undefined && isRemoved(record))
      parents.set(uuid, asText(record.value["parentUuid"]) ?? null);
  }
  const removed = lines.records.filter(isRemoved);
  const traces = tracesOf(removed.flatMap(({ value }) => [value["message"], value["toolUseResult"]]));
  const calls = new Set(
    removed.flatMap((record) => entriesOf(record).flatMap(({ parts }) => parts.map((part) => part.callId))),
  );
  // Progress lines repeat what a tool printed, and last-prompt what was typed.
  const isTrace = (value: Json) =>
    value["type"] === "last-prompt" ||
    (value["type"] === "progress" &&
      (calls.has(asText(value["toolUseID"])) || calls.has(asText(value["parentToolUseID"]))));
  for (const { value } of lines.records) {
    const uuid = asText(value["uuid"]);
    if (uuid !== undefined && isTrace(value)) parents.set(uuid, asText(value["parentUuid"]) ?? null);
  }
  const survivor = (uuid: string | null): string | null => {
    let at = uuid;
    while (at !== null && parents.has(at)) at = parents.get(at) ?? null;
    return at;
  };
  const values = lines.records
    .filter((record) => !isRemoved(record) && !isTrace(record.value))
    .map(({ value }) => {
      const moved = asJson((isMessageRecord(value) ? blankCopies : blankShown)(value, traces));
      for (const key of ["parentUuid", "logicalParentUuid", "sourceToolAssistantUUID", "leafUuid"]) {
        const target = asText(value[key]);
        if (target !== undefined && parents.has(target)) moved[key] = survivor(target);
      }
      return moved;
    });
  return { kind: "files", changes: [{ path: source.path, content: toJsonLines(values) }] };
};

export const claudeStore: Store = {
  id: "claude",
  title: "Claude Code",
  lever: "a new session file without the messages; the original is not touched",
  canStub: true,
  isLiveSafe: false,
  processNames: ["claude"],
  conversationVariable: "CLAUDE_CODE_SESSION_ID",
  charsPerToken: 2.7,
  entriesOf,
  fromLines: toConversation,
  load,
  forget,
  mend,
  purge,
  resumeCommand: ({ id }) => `claude --resume ${id}`,
};
