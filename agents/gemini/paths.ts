import { basename, join } from "node:path";
import { findStat, listFolder, listSubfolders } from "../files.ts";
import type { Source, StorePorts } from "../store.ts";

const toSource = (path: string, isSubAgent: boolean): Source[] => {
  const stat = findStat(path);
  const extension = /\.jsonl?$/.exec(path)?.[0];
  if (!stat || !extension) return [];
  const format = extension === ".json" ? "document" : "lines";
  const id = basename(path, extension);
  // `session-<minute>-<first eight of the session's id>`
  const [, resumePrefix] = /^session-.*-([0-9a-f]{8})$/.exec(id) ?? [];
  const source: Source = { agent: "gemini", id, path, format, isSubAgent, ...stat };
  return [resumePrefix === undefined ? source : { ...source, resumePrefix }];
};

const listChats = (folder: string): Source[] => {
  const files = listFolder(folder);
  const names = new Set(files.map((entry) => entry.name));
  return files.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFolder(path).flatMap((file) => toSource(join(path, file.name), true));
    // On resume the old `.json` goes on as `.jsonl`; the newer one counts.
    return names.has(`${entry.name}l`) ? [] : toSource(path, false);
  });
};

/** `tmp/<project>/chats/session-*.jsonl` (older: `.json`); sub-agents in a folder named after their parent. */
export const listGeminiSources = ({ env, home }: StorePorts): Source[] =>
  listSubfolders(join(env["GEMINI_CLI_HOME"] || home, ".gemini", "tmp")).flatMap((project) =>
    listChats(join(project, "chats")),
  );
