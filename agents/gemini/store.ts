import { readFileSync } from "node:fs";
import { blankCopies, blankShown, tracesOf } from "../blank.ts";
import { parseJson } from "../../core/parse-json.ts";
import { asJson, asList, asText, isJson, type Json } from "../json.ts";
import { type JsonLines, readJsonLines, toJsonLines } from "../jsonl.ts";
import {
  type Conversation,
  type Edit,
  FORGOTTEN_TEXT,
  type Loaded,
  type Source,
  type Store,
} from "../store.ts";
import {
  documentValues,
  entriesOf,
  type GeminiState,
  idOf,
  isMessage,
  replay,
  toConversation,
} from "./conversation.ts";

type Raw = { source: Source; bytes: Buffer; state: GeminiState };

const read = (source: Source, bytes: Buffer): Loaded => {
  if (source.format === "document") {
    const document = parseJson(bytes.toString("utf8"));
    const faults = isJson(document) ? [] : ["the file is not JSON"];
    const state = replay(documentValues(asJson(document)));
    return { conversation: toConversation(source, state, faults), raw: { source, bytes, state } };
  }
  const lines = readJsonLines(bytes);
  const state = replayLines(lines);
  return { conversation: toConversation(source, state, lines.faults), raw: { source, bytes, state } };
};

const replayLines = ({ records }: JsonLines): GeminiState =>
  replay(records.map(({ value, line }) => ({ value, index: line - 1 })));

const fromLines = (source: Source, lines: JsonLines): Conversation =>
  toConversation(source, replayLines(lines), lines.faults);

const load = (source: Source): Promise<Loaded> => Promise.resolve(read(source, readFileSync(source.path)));

const stubbed = (value: Json): Json => ({ ...value, content: FORGOTTEN_TEXT });

const sentValues = (state: GeminiState): { id: string; value: Json }[] =>
  [...state.messages.values()]
    .filter(({ message }) => message.context === "in" || message.context === "not-sent")
    .map(({ message, value }) => ({ id: message.id, value }));

/** A legacy document has no place for a later line: it is rewritten without the messages. */
const rewriteDocument = (
  { source, bytes }: Raw,
  edit: (value: Json, id: string) => Json | undefined,
): { content: string; after: Loaded } => {
  const document = asJson(parseJson(bytes.toString("utf8")));
  const key = document["messages"] === undefined ? "history" : "messages";
  const kept = asList(document[key])
    .filter(isJson)
    .flatMap((value, index) => edit(value, idOf(value, index)) ?? []);
  const content = `${JSON.stringify({ ...document, [key]: kept }, undefined, 2)}\n`;
  return { content, after: read(source, Buffer.from(content)) };
};

/** A checkpoint: the loader clears what it has and goes on from these messages. */
const appendCheckpoint = ({ source, bytes }: Raw, messages: readonly Json[]): Edit => {
  const isOpen = bytes.length > 0 && bytes.at(-1) !== 10;
  const content = `${isOpen ? "\n" : ""}${JSON.stringify({ $set: { messages } })}\n`;
  return {
    after: read(source, Buffer.concat([bytes, Buffer.from(content)])).conversation,
    write: { kind: "append", path: source.path, content },
  };
};

const withId = ({ id, value }: { id: string; value: Json }): Json =>
  asText(value["id"]) === undefined ? { id, ...value } : value;

export const geminiStore: Store = {
  id: "gemini",
  title: "Gemini CLI",
  lever: "one appended checkpoint without the messages; legacy .json files are rewritten",
  canStub: true,
  isLiveSafe: false,
  processNames: ["gemini"],
  charsPerToken: 4,
  entriesOf,
  fromLines,
  load,
  forget: (loaded, { remove, stub }) => {
    const raw = loaded.raw as Raw;
    const edit = (value: Json, id: string) =>
      remove.has(id) ? undefined : stub.has(id) ? stubbed(value) : value;
    if (raw.source.format === "document") {
      const { content, after } = rewriteDocument(raw, edit);
      const changes = [{ path: raw.source.path, content }];
      return { after: after.conversation, write: { kind: "files", changes } };
    }
    const kept = sentValues(raw.state).flatMap(({ id, value }) => {
      const edited = edit(value, id);
      return edited ? [withId({ id, value: edited })] : [];
    });
    return appendCheckpoint(raw, kept);
  },
  // Gemini CLI writes checkpoints of its own, which lack what was forgotten: the two are put together by id.
  restore: (loaded, { before }) => {
    const raw = loaded.raw as Raw;
    const earlier = (read(raw.source, before).raw as Raw).state;
    const since = sentValues(raw.state).filter(({ id }) => !earlier.messages.has(id));
    return appendCheckpoint(raw, [...sentValues(earlier), ...since].map(withId));
  },
  purge: (loaded, remove) => {
    const raw = loaded.raw as Raw;
    const gone = [...raw.state.messages.values()].filter(({ message }) => remove.has(message.id));
    const traces = tracesOf(
      gone.map(({ value }) => [value["content"], value["toolCalls"], value["thoughts"]]),
    );
    const edit = (value: Json, id: string) =>
      remove.has(id) ? undefined : asJson((isMessage(value) ? blankCopies : blankShown)(value, traces));
    if (raw.source.format === "document")
      return {
        kind: "files",
        changes: [{ path: raw.source.path, content: rewriteDocument(raw, edit).content }],
      };
    const values = readJsonLines(raw.bytes).records.flatMap(({ value, line }) => {
      const set = asJson(value["$set"]);
      if (!Array.isArray(set["messages"])) return edit(value, idOf(value, line - 1)) ?? [];
      const messages = set["messages"]
        .filter(isJson)
        .flatMap((inner, at) => edit(inner, idOf(inner, at)) ?? []);
      return { ...value, $set: { ...set, messages } };
    });
    return { kind: "files", changes: [{ path: raw.source.path, content: toJsonLines(values) }] };
  },
  resumeCommand: ({ id, resumeId }) => `gemini --resume ${resumeId ?? id}`,
};
