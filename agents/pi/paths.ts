import { basename, join } from "node:path";
import { findStat, listFolder, listSubfolders } from "../files.ts";
import type { Source, StorePorts } from "../store.ts";

const listFiles = (folder: string): Source[] =>
  listFolder(folder).flatMap((entry) => {
    if (!entry.name.endsWith(".jsonl")) return [];
    const path = join(folder, entry.name);
    const stat = findStat(path);
    if (!stat) return [];
    // `<date>_<uuid>.jsonl`: the session's id is its uuid.
    const name = basename(path, ".jsonl");
    const id = name.includes("_") ? name.slice(name.indexOf("_") + 1) : name;
    return [{ agent: "pi", id, path, format: "lines", isSubAgent: false, ...stat }];
  });

/** `sessions/--<cwd>--/<date>_<id>.jsonl`; `PI_CODING_AGENT_SESSION_DIR` holds the files themselves. */
export const listPiSources = ({ env, home }: StorePorts): Source[] => {
  const root = env["PI_CODING_AGENT_DIR"] || join(home, ".pi", "agent");
  const own = env["PI_CODING_AGENT_SESSION_DIR"];
  return [...listSubfolders(join(root, "sessions")), ...(own ? [own] : [])].flatMap(listFiles);
};
