import { dirname, join } from "node:path";
import { blankRecord, tracesOf } from "../blank.ts";
import { asText, type Json } from "../json.ts";
import { type JsonRecord, readJsonLines, toJsonLines } from "../jsonl.ts";
import type { Edit, EditWrite, ForgetRequest, Source, Store } from "../store.ts";
import { findSurvivor, loadTranscript, type Transcript, writeFile } from "../transcript.ts";
import { closeGaps } from "./context.ts";
import { toConversation } from "./conversation.ts";
import { entriesOf, isMessageRecord, messageIdOf } from "./entries.ts";
import { forkRecords } from "./fork.ts";

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
    write: writeFile(path, content),
  };
};

const NONE: ReadonlySet<string> = new Set();

/** Rewrites the transcript itself without the lines of the removed messages; children move to their parents. */
const purge = ({ source, lines }: Transcript, remove: ReadonlySet<string>): EditWrite => {
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
  const values = lines.records
    .filter((record) => !isRemoved(record) && !isTrace(record.value))
    .map(({ value }) => {
      const moved = blankRecord(value, traces, isMessageRecord(value));
      for (const key of ["parentUuid", "logicalParentUuid", "sourceToolAssistantUUID", "leafUuid"]) {
        const target = asText(value[key]);
        if (target !== undefined && parents.has(target)) moved[key] = findSurvivor(parents, target);
      }
      return moved;
    });
  return writeFile(source.path, toJsonLines(values));
};

export const claudeStore: Store<Transcript> = {
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
  load: loadTranscript(toConversation),
  forget: ({ raw: { source, lines } }, request) => fork(source, lines.records, request),
  mend: ({ raw: { source, lines } }, { newId }) => {
    const records = closeGaps(lines.records, source.isSubAgent);
    return records && fork(source, records, { remove: NONE, stub: NONE, newId });
  },
  purge: ({ raw }, remove) => purge(raw, remove),
  resumeCommand: ({ id }) => `claude --resume ${id}`,
};
