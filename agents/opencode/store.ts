import { AppError } from "../../core/errors.ts";
import { makeConversation } from "../make-conversation.ts";
import { asJson, asText } from "../json.ts";
import { type ReadDatabase, type Row, withDatabase } from "../sqlite.ts";
import type { Conversation, EditWrite, Source, Store } from "../store.ts";
import { planRemoval, writeFiles, writeRows } from "./edit.ts";
import { type OpencodeMessage, toMessages } from "./messages.ts";
import { type OpencodeSession, readFiles, readRows } from "./read.ts";

const LIST = `SELECT s.id, s.parent_id AS parent, s.directory, s.time_updated AS updated,
  (SELECT count(*) FROM part p WHERE p.session_id = s.id) AS parts,
  (SELECT max(p.time_updated) FROM part p WHERE p.session_id = s.id) AS touched FROM session s`;

/**
 * opencode 2 keeps its sessions in tables of its own, in the same file. Those of version 1 are not read by it any more
 * (anomalyco/opencode#49641), so what they say of a context is stale, and an edit of them changes nothing.
 */
const refuseTakenOver = (path: string, database: ReadDatabase): void => {
  if (database.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'session_v2'").length === 0)
    return;
  throw new AppError(
    "unavailable",
    `${path} was migrated by opencode 2, whose format Nightshift cannot read: its conversations are not listed, searched or edited`,
  );
};

const toSource = (path: string, row: Row): Source => ({
  agent: "opencode",
  id: String(row["id"]),
  path,
  format: "rows",
  sizeBytes: 0,
  // Parts change without their session's date (a running tool's state).
  mtimeMs: Math.max(Number(row["updated"]), Number(row["touched"] ?? 0)),
  stamp: [row["updated"], row["touched"], row["parts"]].join(":"),
  isSubAgent: row["parent"] !== null && row["parent"] !== undefined,
  dir: asText(row["directory"]),
});

const toConversation = (
  { source, info }: OpencodeSession,
  stored: readonly OpencodeMessage[],
): Conversation => {
  const messages = toMessages(stored, asText(asJson(info["revert"])["messageID"]));
  const model = messages.findLast((message) => message.model)?.model;
  const title = asText(info["title"]);
  const dir = asText(info["directory"]);
  const isSubAgent = source.isSubAgent || Boolean(info["parentID"] ?? info["parent_id"]);
  return makeConversation(source, { agent: "opencode", messages, isSubAgent, title, dir, model });
};

const writeOf = (session: OpencodeSession, plan: ReturnType<typeof planRemoval>): EditWrite =>
  session.source.format === "rows" ? writeRows(session, plan) : writeFiles(session, plan);

export const opencodeStore: Store<OpencodeSession> = {
  id: "opencode",
  title: "opencode",
  lever: "the rows of the messages are taken out and kept whole in the journal",
  canStub: true,
  isLiveSafe: false,
  processNames: ["opencode"],
  charsPerToken: 4,
  listRows: (path) =>
    withDatabase(path, (database) => {
      refuseTakenOver(path, database);
      return database.all(LIST).map((row) => toSource(path, row));
    }),
  load: async (source) => {
    const session = source.format === "rows" ? await readRows(source) : readFiles(source);
    return { conversation: toConversation(session, session.messages), raw: session };
  },
  forget: ({ raw: session }, request) => {
    const plan = planRemoval(session, request);
    return { after: toConversation(session, plan.messages), write: writeOf(session, plan) };
  },
  purge: ({ raw: session }, remove) => {
    const write = writeOf(session, planRemoval(session, { remove, stub: new Set() }));
    if (write.kind !== "rows") return write;
    return { ...write, undo: [], isErasure: true };
  },
  resumeCommand: ({ id }) => `opencode --session ${id}`,
};
