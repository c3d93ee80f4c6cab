import { asText, type Json } from "../json.ts";
import { type EditWrite, FORGOTTEN_TEXT, type Statement } from "../store.ts";
import type { OpencodeMessage } from "./messages.ts";
import type { OpencodeSession } from "./read.ts";

type Choice = { remove: ReadonlySet<string>; stub: ReadonlySet<string> };

type Plan = {
  messages: OpencodeMessage[];
  /** ids of messages and parts that go */
  gone: string[];
  /** ids of messages and parts whose data changes */
  changed: Map<string, Json>;
};

const stubParts = (message: OpencodeMessage): OpencodeMessage["parts"] => {
  const [first] = message.parts;
  return first ? [{ id: first.id, data: { ...first.data, type: "text", text: FORGOTTEN_TEXT } }] : [];
};

/** What changes when messages go: answers to a removed prompt hang on the prompt before it. */
export const planRemoval = ({ messages }: OpencodeSession, { remove, stub }: Choice): Plan => {
  const plan: Plan = { messages: [], gone: [], changed: new Map() };
  const heirs = new Map<string, string>();
  let prompt: string | undefined;
  for (const message of messages) {
    const isPrompt = message.data["role"] !== "assistant";
    if (remove.has(message.id)) {
      if (isPrompt && prompt !== undefined) heirs.set(message.id, prompt);
      plan.gone.push(message.id, ...message.parts.map((part) => part.id));
      continue;
    }
    if (isPrompt) prompt = message.id;
    const parts = stub.has(message.id) ? stubParts(message) : message.parts;
    if (parts !== message.parts) {
      plan.gone.push(...message.parts.slice(1).map((part) => part.id));
      for (const part of parts) plan.changed.set(part.id, part.data);
    }
    const heir = heirs.get(asText(message.data["parentID"]) ?? "");
    const data = heir === undefined ? message.data : { ...message.data, parentID: heir };
    if (heir !== undefined) plan.changed.set(message.id, data);
    plan.messages.push({ ...message, data, parts });
  }
  return plan;
};

const toSqlValue = (value: unknown): string | number | null =>
  typeof value === "string" || typeof value === "number" ? value : null;

const insert = (table: string, row: Record<string, unknown>): Statement => {
  const columns = Object.keys(row);
  return {
    // One that is there already never went: the program was killed before it could take it out.
    sql: `INSERT OR IGNORE INTO ${table} (${columns.map((name) => `"${name}"`).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    values: Object.values(row).map((value) => toSqlValue(value)),
  };
};

const tableOf = (row: Record<string, unknown>): string => ("message_id" in row ? "part" : "message");

const update = (row: Record<string, unknown>, data: unknown): Statement => ({
  sql: `UPDATE ${tableOf(row)} SET data = ? WHERE id = ?`,
  values: [typeof data === "string" ? data : JSON.stringify(data), String(row["id"])],
});

/** Rows are taken out whole and kept in the journal whole: call and result are one part, nothing is torn. */
export const writeRows = ({ source, rows }: OpencodeSession, { gone, changed }: Plan): EditWrite => {
  const doomed = gone.flatMap((id) => {
    const row = rows.get(id);
    return row ? [row] : [];
  });
  const moved = [...changed].flatMap(([id, data]) => {
    const row = rows.get(id);
    return row ? [{ row, data }] : [];
  });
  const parts = doomed.filter((row) => tableOf(row) === "part");
  const messages = doomed.filter((row) => tableOf(row) === "message");
  return {
    kind: "rows",
    path: source.path,
    statements: [
      ...[...parts, ...messages].map((row) => ({
        sql: `DELETE FROM ${tableOf(row)} WHERE id = ?`,
        values: [String(row["id"])],
      })),
      ...moved.map(({ row, data }) => update(row, data)),
    ],
    undo: [
      ...messages.map((row) => insert("message", row)),
      ...parts.map((row) => insert("part", row)),
      ...moved.map(({ row }) => update(row, String(row["data"]))),
    ],
  };
};

export const writeFiles = ({ files }: OpencodeSession, { gone, changed }: Plan): EditWrite => ({
  kind: "files",
  changes: [
    ...gone.flatMap((id) => {
      const path = files.get(id);
      return path === undefined ? [] : [{ path, content: undefined }];
    }),
    ...[...changed].flatMap(([id, data]) => {
      const path = files.get(id);
      return path === undefined ? [] : [{ path, content: JSON.stringify(data, undefined, 2) }];
    }),
  ],
});
