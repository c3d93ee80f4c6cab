import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Conversation, Source, Store } from "../agents/store.ts";

const RECENT_MS = 60_000;

type Process = { pid: number; names: string[]; startedMs: number };

const readLink = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

const listProcesses = (): Process[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").slice(0, 2);
        const names = words.map((word) => basename(word).replace(/\.(js|mjs|cjs|exe)$/, ""));
        return [{ pid: Number(name), names, startedMs: statSync(`/proc/${name}`).ctimeMs }];
      } catch {
        return []; // it ended meanwhile
      }
    });

const holdsOpen = (pid: number, path: string): boolean => {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readLink(`/proc/${pid}/fd/${fd}`) === path);
  } catch {
    return false; // ended meanwhile, or another user's
  }
};

const describe = ({ pid, names }: Process): string => `${names.find(Boolean) ?? "a process"} (pid ${pid})`;

const findUser = (
  store: Store,
  conversation: Conversation,
  source: Source,
  nowMs: number,
): string | undefined => {
  for (const process of listProcesses().filter((each) => each.pid !== globalThis.process.pid)) {
    const isOpen = holdsOpen(process.pid, source.path);
    if (isOpen && source.format !== "rows") return `${describe(process)} has ${source.path} open`;
    if (isOpen && nowMs - source.mtimeMs < RECENT_MS)
      return `${describe(process)} has the database open and the conversation changed less than a minute ago`;
    const isAgent = process.names.some((name) => store.processNames.includes(name));
    if (!isAgent || source.format === "rows" || conversation.dir === undefined) continue;
    // Agents that open the file only to append: one that runs there and has lived through the last change.
    const isThere = readLink(`/proc/${process.pid}/cwd`) === conversation.dir;
    if (isThere && process.startedMs <= source.mtimeMs)
      return `${describe(process)} runs in ${conversation.dir} and holds this conversation in memory`;
  }
  return undefined;
};

/** Why a conversation counts as in use, or undefined when no running program has it. */
export const findUse = (
  { store, conversation, source }: { store: Store; conversation: Conversation; source: Source },
  nowMs: number,
): string | undefined => {
  if (process.platform === "linux") return findUser(store, conversation, source, nowMs);
  return nowMs - source.mtimeMs < RECENT_MS ? "it changed less than a minute ago" : undefined;
};
