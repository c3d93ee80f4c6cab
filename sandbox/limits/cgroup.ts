import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { AppError, errorText } from "../../core/errors.ts";
import type { SandboxLimits } from "../settings.ts";

const MEBIBYTE = 1024 * 1024;
/** The period that the kernel counts processor time in by itself, in microseconds. */
const PERIOD_US = 100_000;
const NEEDED = ["memory", "pids", "cpu"] as const;
const PREFIX = "nightshift-";

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const hasAll = (file: string): boolean => {
  const said = new Set(read(file).trim().split(/\s+/));
  return NEEDED.every((name) => said.has(name));
};

/** Whether groups in this one have limits, switched on where that is ours to do (not in a group that has processes). */
const canLimit = (group: string): boolean => {
  const control = join(group, "cgroup.subtree_control");
  if (!hasAll(join(group, "cgroup.controllers"))) return false;
  if (hasAll(control)) return true;
  try {
    writeFileSync(control, NEEDED.map((name) => `+${name}`).join(" "));
  } catch {
    return false;
  }
  return hasAll(control);
};

/**
 * The nearest group of cgroup v2, from our own one upwards, in which we may make groups with limits; undefined where
 * none is delegated to us.
 */
export const findDelegatedGroup = (): string | undefined => {
  const root = "/sys/fs/cgroup";
  const path = /^0::(\/.*)$/m.exec(read("/proc/self/cgroup"))?.[1];
  if (path === undefined || path.includes("..") || !existsSync(join(root, "cgroup.controllers")))
    return undefined;
  for (let group = join(root, path); ; group = dirname(group)) {
    // To move a process takes a right on the group above both ends: where that stops, delegation does.
    if (!isWritable(group) || !isWritable(join(group, "cgroup.procs"))) return undefined;
    if (canLimit(group)) return group;
    if (group === root || group === dirname(group)) return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** Groups whose supervisor was killed; the kernel keeps those in which something still runs. */
const removeLeftOver = (parent: string): void => {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split("-")[0]) : 0;
    if (pid > 0 && !isAlive(pid)) removeIfEmpty(join(parent, name));
  }
};

/** Ends what is in a group, and removes it; one whose processes are still ending goes with the next one. */
export const removeGroup = (group: string): void => {
  try {
    writeFileSync(join(group, "cgroup.kill"), "1");
  } catch {
    // Linux before 5.14 has no such file; what was in the group has ended with its namespace.
  }
  removeIfEmpty(group);
};

const removeIfEmpty = (group: string): void => {
  try {
    rmdirSync(group);
  } catch {
    // Something still ends in it.
  }
};

/**
 * A group of its own for one sandbox.
 * @throws AppError `unavailable` where the kernel refuses it
 */
export const makeGroup = (parent: string, limits: SandboxLimits): string => {
  const group = join(parent, `${PREFIX}${process.pid}-${randomBytes(4).toString("hex")}`);
  try {
    removeLeftOver(parent);
    mkdirSync(group);
    for (const [file, value] of Object.entries(groupSettings(limits)))
      writeFileSync(join(group, file), value);
    const swap = join(group, "memory.swap.max"); // not there where the kernel does not count it
    if (limits.memoryMiB !== undefined && existsSync(swap)) writeFileSync(swap, "0");
    return group;
  } catch (error) {
    removeGroup(group);
    throw new AppError("unavailable", `no cgroup for the sandbox in ${parent}: ${errorText(error)}`, {
      cause: error,
    });
  }
};

/** What is written into the files of a group. */
export const groupSettings = ({ processes, memoryMiB, cpus }: SandboxLimits): Record<string, string> => ({
  "pids.max": String(processes),
  ...(memoryMiB === undefined ? {} : { "memory.max": String(memoryMiB * MEBIBYTE) }),
  ...(cpus === undefined
    ? {}
    : { "cpu.max": `${Math.round(Math.min(cpus, availableParallelism()) * PERIOD_US)} ${PERIOD_US}` }),
});
