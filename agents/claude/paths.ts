import { basename, join } from "node:path";
import { findStat, listNames } from "../files.ts";
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
  listNames(folder).flatMap((name) => {
    if (name.endsWith(".jsonl")) return toSource(`${folder}/${name}`, name.startsWith("agent-"));
    if (name.includes(".")) return [];
    const subagents = join(folder, name, "subagents");
    return listNames(subagents)
      .filter((file) => file.endsWith(".jsonl"))
      .flatMap((file) => toSource(join(subagents, file), true));
  });

export const listClaudeSources = (ports: StorePorts): Source[] =>
  configFolders(ports)
    .flatMap((folder) => listNames(join(folder, "projects")).map((name) => join(folder, "projects", name)))
    .flatMap(listProject);
