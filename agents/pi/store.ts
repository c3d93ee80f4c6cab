import { blankRecord, tracesOf } from "../blank.ts";
import { asJson, asText, type Json } from "../json.ts";
import { type JsonRecord, readJsonLines, toJsonLines } from "../jsonl.ts";
import { type Edit, FORGOTTEN_TEXT, type Store } from "../store.ts";
import { appendLines, findSurvivor, loadTranscript, type Transcript, writeFile } from "../transcript.ts";
import { firstKeptOf, isTree, type PiTree, readTree, toConversation } from "./conversation.ts";
import { entriesOf, idOf } from "./entries.ts";
import { findPiWindow } from "./window.ts";

type Branch = {
  remove: ReadonlySet<string>;
  stub: ReadonlySet<string>;
  newId: () => string;
  /** where entries that pointers name are found now */
  moved?: ReadonlyMap<string, string>;
};

const stubbed = (value: Json): Json =>
  value["type"] === "compaction" ? { ...value, summary: FORGOTTEN_TEXT } : stubbedMessage(value);

const stubbedMessage = (value: Json): Json => ({
  ...value,
  message: { ...asJson(value["message"]), role: "user", content: [{ type: "text", text: FORGOTTEN_TEXT }] },
});

/** Which entry's content pi leaves out or replaces because of this one. */
const editedBy = ({ value }: JsonRecord): string | undefined =>
  value["type"] === "context_edit" ? asText(value["targetId"]) : undefined;

/** Copies of the path's entries from `from` on, under a new parent and with ids of their own. */
const copyTail = (
  tail: readonly JsonRecord[],
  { parent, remove, stub, newId, moved }: Branch & { parent: string | null },
): Json[] => {
  const ids = new Map(moved);
  const copies: Json[] = [];
  let last = parent;
  let orphanedNames: string[] = [];
  for (const entry of tail) {
    const old = idOf(entry);
    const edited = editedBy(entry);
    // An edit would change the entry after a removed one, or bring back what was stubbed.
    if (remove.has(old) || (edited !== undefined && (remove.has(edited) || stub.has(edited)))) {
      orphanedNames.push(old);
      continue;
    }
    const id = newId().replaceAll("-", "").slice(0, 8);
    ids.set(old, id);
    // What pointed at a removed entry points at the next one that stays.
    for (const name of orphanedNames) ids.set(name, id);
    orphanedNames = [];
    const copy: Json = { ...entry.value, id, parentId: last };
    for (const key of ["firstKeptEntryId", "targetId", "fromId"]) {
      const moved = ids.get(asText(entry.value[key]) ?? "");
      if (moved !== undefined) copy[key] = moved;
    }
    copies.push(stub.has(old) ? stubbed(copy) : copy);
    last = id;
  }
  return copies;
};

/** Leaf entry for a branch that would otherwise end where another one goes on. */
const marker = (parent: string | null, { newId, nowMs }: { newId: () => string; nowMs: number }): Json => ({
  type: "custom",
  id: newId().replaceAll("-", "").slice(0, 8),
  parentId: parent,
  timestamp: new Date(nowMs).toISOString(),
  customType: "nightshift-forget",
});

const branchOff = (tree: PiTree, request: Branch & { nowMs: number }): Json[] => {
  const touched = new Set([...request.remove, ...request.stub]);
  const from = tree.path.findIndex((entry) => touched.has(idOf(entry)));
  const before = tree.path[from - 1];
  const parent = before ? idOf(before) : null;
  const copies = copyTail(tree.path.slice(from), { ...request, parent });
  return copies.length > 0 ? copies : [marker(parent, request)];
};

const append = (raw: Transcript, values: readonly Json[]): Edit => appendLines(raw, values, toConversation);

/** Files of the first version have no tree. pi adds one when it opens them; we write what it would. */
const withTree = (records: readonly JsonRecord[]): Json[] => {
  let parentId: string | null = null;
  return records.map((record): Json => {
    if (record.value["type"] === "session") return { ...record.value, version: 3 };
    const id = record.line.toString(16).padStart(8, "0");
    const { firstKeptEntryIndex: _, ...rest } = record.value;
    const kept = firstKeptOf(record.value, records);
    const value = { ...renamed(rest), id, parentId, ...(kept ? { firstKeptEntryId: treeId(kept) } : {}) };
    parentId = id;
    return value;
  });
};

// pi's own move from version 2 to 3.
const renamed = (value: Json): Json => {
  const message = asJson(value["message"]);
  return message["role"] === "hookMessage" ? { ...value, message: { ...message, role: "custom" } } : value;
};

const treeId = (id: string): string => Number.parseInt(id.slice(1), 10).toString(16).padStart(8, "0");

const forgetInFirstVersion = ({ source, lines }: Transcript, request: Branch & { nowMs: number }): Edit => {
  const base = toJsonLines(withTree(lines.records));
  const tree = readTree(readJsonLines(Buffer.from(base)).records);
  const remove = new Set([...request.remove].map(treeId));
  const stub = new Set([...request.stub].map(treeId));
  const content = base + toJsonLines(branchOff(tree, { ...request, remove, stub }));
  return {
    after: toConversation(source, readJsonLines(Buffer.from(content))),
    write: writeFile(source.path, content),
  };
};

export const piStore: Store<Transcript> = {
  id: "pi",
  title: "pi",
  lever: "a branch with copies of the messages that stay; the old branch is kept, /tree goes back to it",
  canStub: true,
  isLiveSafe: false,
  processNames: ["pi"],
  charsPerToken: 3.5,
  entriesOf,
  fromLines: toConversation,
  load: loadTranscript(toConversation),
  forget: ({ raw }, request) => {
    const tree = readTree(raw.lines.records);
    return isTree(tree.entries) ? append(raw, branchOff(tree, request)) : forgetInFirstVersion(raw, request);
  },
  restore: ({ raw }, { before }, { newId, nowMs }) => {
    const earlier = readTree(readJsonLines(before).records);
    const written = readJsonLines(raw.bytes.subarray(before.length));
    const now = readTree(raw.lines.records);
    const leaf = earlier.path.at(-1);
    const parent = leaf ? idOf(leaf) : null;
    // Copies of ours are left for what they are copies of; what is no copy the conversation has gained since.
    const old = new Map(earlier.entries.map((entry) => [stable(entry.value), idOf(entry)]));
    const moved = new Map<string, string>();
    for (const record of written.records) {
      const original = old.get(stable(record.value));
      if (original !== undefined) moved.set(idOf(record), original);
    }
    const ids = new Set(written.records.map((record) => idOf(record)));
    const since = now.path.filter(
      (entry) => ids.has(idOf(entry)) && !moved.has(idOf(entry)) && !isOurs(entry.value),
    );
    const none = new Set<string>();
    const copies = copyTail(since, { remove: none, stub: none, newId, parent, moved });
    return append(raw, copies.length > 0 ? copies : [marker(parent, { newId, nowMs })]);
  },
  mend: ({ raw }, { newId }) => {
    const tree = readTree(raw.lines.records);
    const [first] = tree.path;
    const missing = asText(first?.value["parentId"]);
    const before = first && tree.entries[tree.entries.indexOf(first) - 1];
    const isMissing = missing !== undefined && !tree.entries.some((entry) => idOf(entry) === missing);
    if (!isMissing || !before || tree.path.includes(before)) return undefined;
    const none = new Set<string>();
    return append(raw, copyTail(tree.path, { remove: none, stub: none, newId, parent: idOf(before) }));
  },
  purge: ({ raw: { source, lines } }, remove) =>
    writeFile(source.path, toJsonLines(withoutEntries(lines.records, remove))),
  findWindow: findPiWindow,
  resumeCommand: ({ id }) => `pi --session ${id}`,
};

const isOurs = (value: Json): boolean =>
  value["customType"] === "nightshift-forget" ||
  JSON.stringify(value["message"] ?? "").includes(FORGOTTEN_TEXT);

/** An entry without its place in the tree: copies of one entry are equal. */
const stable = (value: Json): string => {
  const { id: _, parentId: __, firstKeptEntryId: ___, targetId: ____, fromId: _____, ...rest } = value;
  return JSON.stringify(rest);
};

/** The file without the entries and without their copies on other branches; children move to their parents. */
const withoutEntries = (records: readonly JsonRecord[], remove: ReadonlySet<string>): Json[] => {
  const doomed = new Set(
    records.filter((record) => remove.has(idOf(record))).map((record) => stable(record.value)),
  );
  const isDoomed = (record: JsonRecord) =>
    record.value["type"] !== "session" && doomed.has(stable(record.value));
  const doomedIds = new Set(records.filter(isDoomed).map(idOf));
  const isGone = (record: JsonRecord) => isDoomed(record) || doomedIds.has(editedBy(record) ?? "");
  const gone = records.filter(isGone);
  const traces = tracesOf(
    gone.map(({ value }) => asJson(value["message"])["content"] ?? value["content"] ?? value["replacement"]),
  );
  const parents = new Map(gone.map((record) => [idOf(record), asText(record.value["parentId"]) ?? null]));
  const nextKept = (id: string): string => {
    const from = records.findIndex((record) => idOf(record) === id);
    const next = records.slice(from).find((record) => !isGone(record));
    return next ? idOf(next) : id;
  };
  return records
    .filter((record) => !isGone(record))
    .map(({ value }) => {
      const moved = blankRecord(value, traces, value["type"] === "message");
      const parent = asText(value["parentId"]);
      if (parent !== undefined && parents.has(parent)) moved["parentId"] = findSurvivor(parents, parent);
      const kept = asText(value["firstKeptEntryId"]);
      if (kept !== undefined && parents.has(kept)) moved["firstKeptEntryId"] = nextKept(kept);
      return moved;
    });
};
