import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { findStat, listNames } from "../files.ts";
import type { Source, StorePorts } from "../store.ts";

/** `CLAUDE_CONFIG_DIR` (a list, as its users write it), else both places Claude Code has used. */
const configFolders = ({ env, home }: StorePorts): string[] => {
  const told = env["CLAUDE_CONFIG_DIR"];
  if (told) return existsSync(told) ? [told] : told.split(",").map((path) => path.trim());
  return [join(home, ".claude"), join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "claude")];
};

const add = (sources: Source[], path: string, isSubAgent: boolean): void => {
  const stat = findStat(path);
  if (!stat) return;
  const id = path.slice(path.lastIndexOf("/") + 1, -".jsonl".length);
  sources.push({ agent: "claude", id, path, format: "lines", isSubAgent, ...stat });
};

/** `<slug>/<id>.jsonl`; sub-agents beside them (older) or in `<id>/subagents/` (newer). */
const addProject = (sources: Source[], folder: string): void => {
  for (const name of listNames(folder)) {
    if (name.endsWith(".jsonl")) add(sources, `${folder}/${name}`, name.startsWith("agent-"));
    else if (!name.includes(".")) {
      const subagents = `${folder}/${name}/subagents`;
      for (const file of listNames(subagents))
        if (file.endsWith(".jsonl")) add(sources, `${subagents}/${file}`, true);
    }
  }
};

export const listClaudeSources = (ports: StorePorts): Source[] => {
  const sources: Source[] = [];
  const seen = new Set<string>();
  for (const folder of configFolders(ports)) {
    const projects = join(folder, "projects");
    const names = listNames(projects);
    // Often one of the two places is a link to the other: its conversations are there once.
    const place = names.length > 0 ? realpathSync(projects) : projects;
    if (!seen.has(place)) for (const name of names) addProject(sources, `${projects}/${name}`);
    seen.add(place);
  }
  return sources;
};
