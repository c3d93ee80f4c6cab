import { basename, join } from "node:path";
import { findStat, listFolder } from "../files.ts";
import type { Source, StorePorts } from "../store.ts";

const ROLLOUT = /^rollout-.*?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl(\.zst)?$/;

const walk = (folder: string, depth: number): string[] =>
  listFolder(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return entry.name.startsWith("rollout-") ? [path] : [];
    return depth > 0 && entry.isDirectory() ? walk(path, depth - 1) : [];
  });

const toSource = (path: string): Source[] => {
  const stat = findStat(path);
  const name = basename(path);
  if (!stat || !/\.jsonl(\.zst)?$/.test(name)) return [];
  const id = ROLLOUT.exec(name)?.[1] ?? name.replace(/^rollout-|\.jsonl(\.zst)?$/g, "");
  return [{ agent: "codex", id, path, format: "lines", isSubAgent: false, ...stat }];
};

/** `sessions/YYYY/MM/DD/` and flat `archived_sessions/`; where a plain file and its `.zst` both lie, the plain one counts. */
export const listCodexSources = ({ env, home }: StorePorts): Source[] => {
  const root = env["CODEX_HOME"] || join(home, ".codex");
  const paths = [...walk(join(root, "sessions"), 3), ...walk(join(root, "archived_sessions"), 0)];
  const plain = new Set(paths);
  return paths.filter((path) => !(path.endsWith(".zst") && plain.has(path.slice(0, -4)))).flatMap(toSource);
};
