import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { realPath } from "../core/paths.ts";
import { AppError } from "../core/errors.ts";
import { readStartTime } from "../core/process-identity.ts";
import { conversationId, type OpenConversation } from "./find.ts";

const RECENT_MS = 60_000;
/** The boot is dated in whole seconds. */
const CLOCK_SLACK_MS = 1000;

type Process = { pid: number; names: string[]; startedMs: number };

const readLink = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

const TICKS_PER_SECOND = 100; // USER_HZ, the same on every Linux that Node runs on

// Processes are dated from here: the dates of /proc/<pid> are no more than when somebody looked at it.
const bootMs = (): number =>
  Number(/^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? 0) * 1000;

const listProcesses = (): Process[] => {
  const boot = bootMs();
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").slice(0, 2);
        const names = words.map((word) => basename(word).replace(/\.(js|mjs|cjs|exe)$/, ""));
        const ticks = readStartTime(Number(name));
        if (ticks === undefined) return [];
        return [{ pid: Number(name), names, startedMs: boot + (Number(ticks) * 1000) / TICKS_PER_SECOND }];
      } catch {
        return []; // it ended meanwhile
      }
    });
};

const holdsOpen = (pid: number, path: string): boolean => {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readLink(`/proc/${pid}/fd/${fd}`) === path);
  } catch {
    return false; // ended meanwhile, or another user's
  }
};

const describe = ({ pid, names }: Process): string => `${names.find(Boolean) ?? "a process"} (pid ${pid})`;

type Opened = Pick<OpenConversation, "store" | "conversation" | "source">;

const findUser = ({ store, conversation, source }: Opened, nowMs: number): string | undefined => {
  const path = realPath(source.path);
  const dir = conversation.dir === undefined ? undefined : realPath(conversation.dir);
  for (const process of listProcesses().filter((each) => each.pid !== globalThis.process.pid)) {
    const isOpen = holdsOpen(process.pid, path);
    if (isOpen && source.format !== "rows") return `${describe(process)} has ${source.path} open`;
    if (isOpen && nowMs - source.mtimeMs < RECENT_MS)
      return `${describe(process)} has the database open and the conversation changed less than a minute ago`;
    const isAgent = process.names.some((name) => store.processNames.includes(name));
    if (!isAgent || source.format === "rows" || dir === undefined) continue;
    // Agents that open the file only to append: one that runs there and has lived through the last change.
    const isThere = readLink(`/proc/${process.pid}/cwd`) === dir;
    if (isThere && process.startedMs - CLOCK_SLACK_MS <= source.mtimeMs)
      return `${describe(process)} runs in ${conversation.dir} and holds this conversation in memory`;
  }
  return undefined;
};

/** @throws AppError `locked` when a running program has the conversation */
export const refuseInUse = (open: Opened, nowMs: number): void => {
  const use = findUse(open, nowMs);
  if (use !== undefined)
    throw new AppError("locked", `${conversationId(open.conversation)} is in use: ${use}; end it first`);
};

/** Why a conversation counts as in use, or undefined when no running program has it. */
export const findUse = (open: Opened, nowMs: number): string | undefined => {
  if (process.platform === "linux") return findUser(open, nowMs);
  return nowMs - open.source.mtimeMs < RECENT_MS ? "it changed less than a minute ago" : undefined;
};
