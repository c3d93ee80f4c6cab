import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expandHome } from "../../core/paths.ts";
import { findStat, listFolder, listSubfolders } from "../files.ts";
import { parseJson } from "../../core/parse-json.ts";
import { asJson, asText } from "../json.ts";
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

/** `sessionDir` of pi's settings. */
const settledFolder = (root: string): string | undefined => {
  const path = join(root, "settings.json");
  if (!findStat(path)) return undefined;
  try {
    return asText(asJson(parseJson(readFileSync(path, "utf8")))["sessionDir"]);
  } catch {
    return undefined; // closed to us, or gone
  }
};

/** Where pi keeps its settings and sessions. */
export const piFolder = ({ env, home }: StorePorts): string =>
  expandHome(env["PI_CODING_AGENT_DIR"] || join(home, ".pi", "agent"), { HOME: home });

/**
 * `sessions/--<cwd>--/<date>_<id>.jsonl`; `PI_CODING_AGENT_SESSION_DIR` and `sessionDir` of the settings name
 * folders that hold the files themselves.
 */
export const listPiSources = ({ env, home }: StorePorts): Source[] => {
  const expand = (path: string) => expandHome(path, { HOME: home });
  const root = piFolder({ env, home });
  const own = [env["PI_CODING_AGENT_SESSION_DIR"], settledFolder(root)].flatMap((path) =>
    path ? [expand(path)] : [],
  );
  return [...new Set([...listSubfolders(join(root, "sessions")), ...own])].flatMap(listFiles);
};
