import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { AppError } from "../../core/errors.ts";
import { listFolder, listSubfolders } from "../files.ts";
import { parseJson } from "../../core/parse-json.ts";
import { asJson, asNumber, asText, type Json } from "../json.ts";
import { withDatabase } from "../sqlite.ts";
import type { Source } from "../store.ts";
import type { OpencodeMessage } from "./messages.ts";

/** A session of either layout, with the paths of its files where it has some. */
export type OpencodeSession = {
  source: Source;
  info: Json;
  messages: OpencodeMessage[];
  /** message or part id -> its file (legacy layout) */
  files: Map<string, string>;
  /** whole rows by id (database layout), as they would have to be inserted again */
  rows: Map<string, Record<string, unknown>>;
};

export const readRows = (source: Source): Promise<OpencodeSession> =>
  withDatabase(source.path, (database) => {
    const [info] = database.all("SELECT * FROM session WHERE id = ?", [source.id]);
    if (!info) throw new AppError("not-found", `${source.path} holds no session ${source.id}`);
    const found = database.all("SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id", [
      source.id,
    ]);
    const parts = database.all("SELECT * FROM part WHERE session_id = ? ORDER BY id", [source.id]);
    const rows = new Map([...found, ...parts].map((row) => [String(row["id"]), row]));
    const messages = found.map((row): OpencodeMessage => ({
      id: String(row["id"]),
      data: asJson(parseJson(String(row["data"]))),
      parts: parts
        .filter((part) => part["message_id"] === row["id"])
        .map((part) => ({ id: String(part["id"]), data: asJson(parseJson(String(part["data"]))) })),
    }));
    return {
      source,
      info: { ...info, revert: parseJson(asText(info["revert"]) ?? "") },
      messages,
      files: new Map(),
      rows,
    };
  });

const readFolder = (folder: string): { path: string; value: Json }[] =>
  listFolder(folder)
    .filter(({ name }) => name.endsWith(".json"))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ name }) => join(folder, name))
    .map((path) => ({ path, value: asJson(parseJson(readFileSync(path, "utf8"))) }));

/** Parts lie in a folder per message; the very first versions kept them all in one. */
const partsOfMessage = (storage: string, id: string, loose: { path: string; value: Json }[]) => {
  const own = readFolder(join(storage, "part", id));
  return own.length > 0 ? own : loose.filter(({ value }) => value["messageID"] === id);
};

export const readFiles = (source: Source): OpencodeSession => {
  const storage = resolve(source.path, "../../..");
  const info = asJson(parseJson(readFileSync(source.path, "utf8")));
  const ids = [basename(source.path, ".json"), asText(info["id"]) ?? ""];
  const folder = listSubfolders(join(storage, "message")).find((path) => ids.includes(basename(path)));
  const files = new Map<string, string>();
  const loose = readFolder(join(storage, "part"));
  const messages = (folder ? readFolder(folder) : []).map(({ path, value }): OpencodeMessage => {
    const id = asText(value["id"]) ?? basename(path, ".json");
    files.set(id, path);
    const parts = partsOfMessage(storage, id, loose).map((part) => {
      const partId = asText(part.value["id"]) ?? basename(part.path, ".json");
      files.set(partId, part.path);
      return { id: partId, data: part.value };
    });
    return { id, data: value, parts };
  });
  const created = ({ data }: OpencodeMessage) => asNumber(asJson(data["time"])["created"]) ?? 0;
  messages.sort((a, b) => created(a) - created(b));
  return { source, info, messages, files, rows: new Map() };
};
