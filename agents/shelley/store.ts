import { AppError } from "../../core/errors.ts";
import { makeConversation } from "../make-conversation.ts";
import { asText, asTime } from "../json.ts";
import { type Row, withDatabase } from "../sqlite.ts";
import type {
  Conversation,
  Edit,
  EditWrite,
  ForgetRequest,
  Loaded,
  Source,
  Statement,
  Store,
} from "../store.ts";
import { messageOf } from "./messages.ts";

type Raw = { source: Source; conversation: Row; rows: Row[] };

const LIST = `SELECT c.conversation_id AS id, c.updated_at, c.cwd, c.parent_conversation_id AS parent,
  c.current_generation AS generation, count(m.message_id) AS messages, max(m.sequence_id) AS last,
  total(m.excluded_from_context) AS excluded
  FROM conversations c LEFT JOIN messages m ON m.conversation_id = c.conversation_id GROUP BY 1`;

const toSource = (path: string, row: Row): Source => {
  const at = asText(row["updated_at"])?.replace(" ", "T");
  return {
    agent: "shelley",
    id: String(row["id"]),
    path,
    format: "rows",
    sizeBytes: 0,
    mtimeMs: asTime(at) ?? 0,
    // A change of the exclusion flag leaves dates and the number of rows alone.
    stamp: [at, row["generation"], row["messages"], row["last"], row["excluded"]].join(":"),
    isSubAgent: row["parent"] !== null && row["parent"] !== undefined,
    dir: asText(row["cwd"]),
  };
};

const toConversation = ({ source, conversation, rows }: Raw): Conversation => {
  const generation = Number(conversation["current_generation"] ?? 1);
  const messages = rows.map((row) => messageOf(row, generation));
  const model = messages.findLast((message) => message.model)?.model ?? asText(conversation["model"]);
  const title = asText(conversation["slug"]);
  const dir = asText(conversation["cwd"]);
  return makeConversation(source, { agent: "shelley", messages, title, dir, model });
};

const load = (source: Source): Promise<Loaded<Raw>> =>
  withDatabase(source.path, (database) => {
    const [conversation] = database.all("SELECT * FROM conversations WHERE conversation_id = ?", [source.id]);
    if (!conversation) throw new AppError("not-found", `${source.path} holds no conversation ${source.id}`);
    const rows = database.all("SELECT * FROM messages WHERE conversation_id = ? ORDER BY sequence_id", [
      source.id,
    ]);
    const raw: Raw = { source, conversation, rows };
    return { conversation: toConversation(raw), raw };
  });

const setExcluded = (ids: readonly string[], value: 0 | 1): Statement[] =>
  ids.map((id) => ({
    sql: `UPDATE messages SET excluded_from_context = ${value} WHERE message_id = ?`,
    values: [id],
  }));

const forget = ({ raw }: Loaded<Raw>, { remove }: ForgetRequest): Edit => {
  const ids = [...remove];
  const rows = raw.rows.map((row) =>
    remove.has(String(row["message_id"])) ? { ...row, excluded_from_context: 1 } : row,
  );
  const { path } = raw.source;
  return {
    after: toConversation({ ...raw, rows }),
    write: { kind: "rows", path, statements: setExcluded(ids, 1), undo: setExcluded(ids, 0) },
  };
};

/** Deleting rows leaves holes that Shelley's clients read as missing data: the content goes, the row stays. */
const purge = ({ raw }: Loaded<Raw>, remove: ReadonlySet<string>): EditWrite => ({
  kind: "rows",
  path: raw.source.path,
  statements: [...remove].map((id) => ({
    sql: `UPDATE messages SET excluded_from_context = 1, llm_data = '{"Role":0,"Content":[]}',
      user_data = NULL, display_data = NULL WHERE message_id = ?`,
    values: [id],
  })),
  undo: [],
  isErasure: true,
});

export const shelleyStore: Store<Raw> = {
  id: "shelley",
  title: "Shelley",
  lever: "excluded_from_context = 1 on the rows; nothing is deleted",
  canStub: false,
  isLiveSafe: true,
  processNames: ["shelley"],
  conversationVariable: "SHELLEY_CONVERSATION_ID",
  charsPerToken: 2.7,
  listRows: (path) => withDatabase(path, (database) => database.all(LIST).map((row) => toSource(path, row))),
  load,
  forget,
  purge,
  resumeCommand: ({ id }) => `shelley client chat -c ${id}`,
};
