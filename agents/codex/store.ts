import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as zlib from "node:zlib";
import { AppError } from "../../core/errors.ts";
import { blankAll, blankCopies, blankShown, type Traces, tracesOf } from "../blank.ts";
import { asJson, asNumber, asText, type Json } from "../json.ts";
import { type JsonLines, readJsonLines } from "../jsonl.ts";
import { FORGOTTEN_TEXT, type Store } from "../store.ts";
import { appendLines, loadTranscript, type Transcript, writeFile } from "../transcript.ts";
import { type CodexMessage, replayRollout, toConversation } from "./conversation.ts";
import { entriesOf, isHarness } from "./entries.ts";

/** Old rollouts are packed by codex; the runtime unpacks them where it can, else the `zstd` program does. */
export const readRollout = (path: string): Buffer => {
  const bytes = readFileSync(path);
  if (!path.endsWith(".zst")) return bytes;
  const unpack = "zstdDecompressSync" in zlib ? zlib.zstdDecompressSync : undefined;
  if (typeof unpack === "function") return unpack(bytes);
  const child = spawnSync("zstd", ["-dcq"], { input: bytes, maxBuffer: 1 << 30 });
  if (child.status === 0) return child.stdout;
  throw new AppError(
    "unavailable",
    `${path} is packed with zstd; install the zstd program, or use Node >= 22.15 or Bun`,
  );
};

/** In paginated mode every record carries the next number; a gap makes codex give the thread up. */
const nextOrdinal = (lines: JsonLines): { ordinal?: number } => {
  const last = lines.records.findLast(({ value }) => asNumber(value["ordinal"]) !== undefined);
  const ordinal = asNumber(last?.value["ordinal"]);
  return ordinal === undefined ? {} : { ordinal: ordinal + 1 };
};

const isSession = ({ item }: CodexMessage): boolean =>
  !isHarness(item) && item["role"] !== "developer" && item["role"] !== "system";

/** One appended `compacted` line whose replacement history is what the next request shall be built from. */
const appendHistory = (raw: Transcript, history: readonly CodexMessage[], nowMs: number) => {
  if (raw.source.path.endsWith(".zst"))
    throw new AppError(
      "unavailable",
      `${raw.source.path} is packed; unpack it with "zstd -d" beside itself first`,
    );
  const record = {
    timestamp: new Date(nowMs).toISOString(),
    ...nextOrdinal(raw.lines),
    type: "compacted",
    payload: { message: "", replacement_history: history.map(({ item }) => item) },
  };
  return appendLines(raw, [record], toConversation);
};

const stubItem = { type: "message", role: "user", content: [{ type: "input_text", text: FORGOTTEN_TEXT }] };

export const codexStore: Store<Transcript> = {
  id: "codex",
  title: "Codex",
  lever: "one appended line that carries the history without the messages; nothing is cut",
  canStub: true,
  isLiveSafe: false,
  processNames: ["codex"],
  conversationVariable: "CODEX_THREAD_ID",
  charsPerToken: 4,
  entriesOf,
  fromLines: toConversation,
  load: loadTranscript(toConversation, readRollout),
  forget: ({ raw }, { remove, stub, nowMs }) => {
    // codex writes its own instructions again on resume: carried along they would be sent twice.
    const kept = replayRollout(raw.lines.records)
      .history.filter((entry) => isSession(entry) && !remove.has(entry.message.id))
      .map((entry) => (stub.has(entry.message.id) ? { ...entry, item: stubItem } : entry));
    return appendHistory(raw, kept, nowMs);
  },
  restore: ({ raw }, { without }, { nowMs }) => {
    const { history } = replayRollout(readJsonLines(without).records);
    return appendHistory(raw, history.filter(isSession), nowMs);
  },
  purge: ({ raw }, remove) => {
    const kept = replayRollout(raw.lines.records).history.filter(
      (entry) => isSession(entry) && !remove.has(entry.message.id),
    );
    const blank = Buffer.from(blankRollout(raw.bytes, raw.lines, remove));
    const { write } = appendHistory({ ...raw, bytes: blank }, kept, Date.now());
    return writeFile(raw.source.path, blank.toString("utf8") + write.content);
  },
  resumeCommand: ({ id }) => `codex resume ${id}`,
};

/**
 * The rollout with the removed items emptied in place. Lines keep their number, ordinal and length: codex
 * remembers byte offsets of what it has shown.
 */
const blankRollout = (bytes: Buffer, lines: JsonLines, remove: ReadonlySet<string>): string => {
  const gone = replayRollout(lines.records).all.filter(({ message }) => remove.has(message.id));
  const traces = tracesOf(gone.map(({ item }) => item));
  const calls = new Set(gone.flatMap(({ item }) => asText(item["call_id"]) ?? []));
  const byLine = new Map<number, Json[]>();
  for (const { line, value } of lines.records) byLine.set(line, [...(byLine.get(line) ?? []), value]);
  return bytes
    .toString("utf8")
    .split("\n")
    .map((text, index) => {
      const line = index + 1;
      const values = byLine.get(line);
      if (!values) return text;
      const blank = values.map((value) => JSON.stringify(blankLine(value, { line, remove, traces, calls })));
      return padTo(blank.join(""), text);
    })
    .join("\n");
};

const padTo = (text: string, original: string): string =>
  text + " ".repeat(Math.max(0, Buffer.byteLength(original) - Buffer.byteLength(text)));

type Blanking = {
  line: number;
  remove: ReadonlySet<string>;
  traces: Traces;
  calls: ReadonlySet<string>;
};

const blankLine = (value: Json, { line, remove, traces, calls }: Blanking): unknown => {
  if (remove.has(`L${line}`)) return { ...value, payload: blankAll(value["payload"]) };
  const payload = asJson(value["payload"]);
  if (value["type"] === "event_msg") {
    const isOfCall = calls.has(asText(payload["call_id"]) ?? "");
    return isOfCall ? { ...value, payload: blankAll(payload) } : blankShown(value, traces);
  }
  const replacement = payload["replacement_history"];
  if (!Array.isArray(replacement)) return blankCopies(value, traces);
  const items = replacement.map((item, index) =>
    remove.has(`L${line}.${index}`) ? blankAll(item) : blankCopies(item, traces),
  );
  return { ...value, payload: { ...payload, replacement_history: items } };
};
