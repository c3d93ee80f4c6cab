import { basename, isAbsolute, join } from "node:path";
import { databaseStamp, findStat, listFolder, listSubfolders } from "../files.ts";
import type { DatabaseFile, Source, StorePorts } from "../store.ts";

export const dataFolder = ({ env, home }: StorePorts): string =>
  join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "opencode");

/** `opencode.db` and its siblings of other release channels; `OPENCODE_DB` names another file. */
export const listOpencodeDatabases = (ports: StorePorts): DatabaseFile[] => {
  const folder = dataFolder(ports);
  const told = ports.env["OPENCODE_DB"];
  const names = listFolder(folder).filter(({ name }) => /^opencode(-[\w.-]+)?\.db$/.test(name));
  const paths = told
    ? [isAbsolute(told) ? told : join(folder, told)]
    : names.map(({ name }) => join(folder, name));
  return paths.flatMap((path) => {
    const stamp = databaseStamp(path);
    return stamp === undefined ? [] : [{ agent: "opencode", path, stamp }];
  });
};

const sessionSource = (storage: string, path: string): Source[] => {
  const stat = findStat(path);
  if (!stat) return [];
  const name = basename(path, ".json");
  const messages = [name, name.replace(/^ses_/, "")]
    .map((id) =>
      listFolder(join(storage, "message", id)).map((entry) => join(storage, "message", id, entry.name)),
    )
    .find((found) => found.length > 0);
  const stats = [stat, ...(messages ?? []).flatMap((file) => findStat(file) ?? [])];
  return [
    {
      agent: "opencode",
      id: name,
      path,
      format: "document",
      sizeBytes: stats.reduce((sum, each) => sum + each.sizeBytes, 0),
      mtimeMs: stats.reduce((newest, each) => Math.max(newest, each.mtimeMs), 0),
      stamp: stats.map((each) => each.stamp).join(" "),
      isSubAgent: false,
    },
  ];
};

/** Before version 1.2: one JSON file per session, per message and per part. */
export const listOpencodeSources = (ports: StorePorts): Source[] => {
  const storage = join(dataFolder(ports), "storage");
  return listSubfolders(join(storage, "session")).flatMap((project) =>
    listFolder(project)
      .filter(({ name }) => name.endsWith(".json"))
      .flatMap(({ name }) => sessionSource(storage, join(project, name))),
  );
};
