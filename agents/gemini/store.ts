import { readFileSync } from "node:fs";
import { blankRecord, tracesOf } from "../blank.ts";
import { parseJson } from "../../core/parse-json.ts";
import { asJson, asList, asText, isJson, type Json } from "../json.ts";
import { type JsonLines, readJsonLines, toJsonLines } from "../jsonl.ts";
import { type Conversation, FORGOTTEN_TEXT, type Loaded, type Source, type Store } from "../store.ts";
import { appendLines, writeFile } from "../transcript.ts";
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

const read = (source: Source, bytes: Buffer): Loaded<Raw> => {
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

const stubbed = (value: Json): Json => ({ ...value, content: FORGOTTEN_TEXT });

const sentValues = (state: GeminiState): { id: string; value: Json }[] =>
  [...state.messages.values()]
    .filter(({ message }) => message.context === "in" || message.context === "not-sent")
    .map(({ message, value }) => ({ id: message.id, value }));

/** A legacy document has no place for a later line: it is rewritten without the messages. */
const rewriteDocument = ({ bytes }: Raw, edit: (value: Json, id: string) => Json | undefined): string => {
  const document = asJson(parseJson(bytes.toString("utf8")));
  const key = document["messages"] === undefined ? "history" : "messages";
  const kept = asList(document[key])
    .filter(isJson)
    .flatMap((value, index) => edit(value, idOf(value, index)) ?? []);
  return `${JSON.stringify({ ...document, [key]: kept }, undefined, 2)}\n`;
};

/** A checkpoint: the loader clears what it has and goes on from these messages. */
const appendCheckpoint = (raw: Raw, messages: readonly Json[]) =>
  appendLines(raw, [{ $set: { messages } }], fromLines);

const withId = ({ id, value }: { id: string; value: Json }): Json =>
  asText(value["id"]) === undefined ? { id, ...value } : value;

export const geminiStore: Store<Raw> = {
  id: "gemini",
  title: "Gemini CLI",
  lever: "one appended checkpoint without the messages; legacy .json files are rewritten",
  canStub: true,
  isLiveSafe: false,
  processNames: ["gemini"],
  charsPerToken: 4,
  entriesOf,
  fromLines,
  load: async (source) => read(source, readFileSync(source.path)),
  forget: ({ raw }, { remove, stub }) => {
    const edit = (value: Json, id: string) =>
      remove.has(id) ? undefined : stub.has(id) ? stubbed(value) : value;
    if (raw.source.format === "document") {
      const content = rewriteDocument(raw, edit);
      const after = read(raw.source, Buffer.from(content)).conversation;
      return { after, write: writeFile(raw.source.path, content) };
    }
    const kept = sentValues(raw.state).flatMap(({ id, value }) => {
      const edited = edit(value, id);
      return edited ? [withId({ id, value: edited })] : [];
    });
    return appendCheckpoint(raw, kept);
  },
  // Gemini CLI writes checkpoints of its own, which lack what was forgotten: the two are put together by id.
  restore: ({ raw }, { before }) => {
    const earlier = read(raw.source, before).raw.state;
    const since = sentValues(raw.state).filter(({ id }) => !earlier.messages.has(id));
    return appendCheckpoint(raw, [...sentValues(earlier), ...since].map(withId));
  },
  purge: ({ raw }, remove) => {
    const gone = [...raw.state.messages.values()].filter(({ message }) => remove.has(message.id));
    const traces = tracesOf(
      gone.map(({ value }) => [value["content"], value["toolCalls"], value["thoughts"]]),
    );
    const edit = (value: Json, id: string) =>
      remove.has(id) ? undefined : blankRecord(value, traces, isMessage(value));
    if (raw.source.format === "document") return writeFile(raw.source.path, rewriteDocument(raw, edit));
    const values = readJsonLines(raw.bytes).records.flatMap(({ value, line }) => {
      const set = asJson(value["$set"]);
      if (!Array.isArray(set["messages"])) return edit(value, idOf(value, line - 1)) ?? [];
      const messages = set["messages"]
        .filter(isJson)
        .flatMap((inner, at) => edit(inner, idOf(inner, at)) ?? []);
      return { ...value, $set: { ...set, messages } };
    });
    return writeFile(raw.source.path, toJsonLines(values));
  },
  resumeCommand: ({ id, resumeId }) => `gemini --resume ${resumeId ?? id}`,
};
