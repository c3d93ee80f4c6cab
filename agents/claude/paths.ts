import { basename, join } from "node:path";
import { findStat, listFolder, listSubfolders } from "../files.ts";
import type { Source, StorePorts } from "../store.ts";

/** `CLAUDE_CONFIG_DIR` (a list, as its users write it), else both places Claude Code has used. */
const configFolders = ({ env, home }: StorePorts): string[] => {
  const told = env["CLAUDE_CONFIG_DIR"];
  if (told) return told.split(",").map((path) => path.trim());
  return [join(home, ".claude"), join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "claude")];
};

const toSource = (path: string, isSubAgent: boolean): Source[] => {
  const stat = findStat(path);
  if (!stat) return [];
  return [{ agent: "claude", id: basename(path, ".jsonl"), path, format: "lines", isSubAgent, ...stat }];
};

/** `projects/<slug>/<id>.jsonl`; sub-agents beside them (older) or in `<id>/subagents/` (newer). */
const listProject = (folder: string): Source[] =>
  listFolder(folder).flatMap((entry) => {
    if (entry.name.endsWith(".jsonl"))
      return toSource(join(folder, entry.name), entry.name.startsWith("agent-"));
    if (!entry.isDirectory()) return [];
    const subagents = join(folder, entry.name, "subagents");
    return listFolder(subagents)
      .filter((file) => file.name.endsWith(".jsonl"))
      .flatMap((file) => toSource(join(subagents, file.name), true));
  });

export const listClaudeSources = (ports: StorePorts): Source[] =>
  configFolders(ports)
    .flatMap((folder) => listSubfolders(join(folder, "projects")))
    .flatMap(listProject);
