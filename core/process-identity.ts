import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "./errors.ts";

/**
 * What tells one process from every other, through pid reuse and reboots: its pid, when it started (an
 * opaque string of the platform: clock ticks since boot on Linux, the start date on macOS) and the boot.
 * `host` and `pidNamespace` say where its pid means anything: a container or another machine that shares
 * a folder with us has pids of its own.
 */
export type ChildIdentity = {
  pid: number;
  startTime: string;
  bootId: string;
  host?: string;
  pidNamespace?: string;
};

/** `unknown`: of another host or pid namespace, or hidden from us (hidepid), so that nothing here can tell. */
export type Liveness = "alive" | "dead" | "unknown";

const LINUX_STARTTIME_FIELD = 22; // proc(5), /proc/<pid>/stat

/** A process that is there, but of which this user is shown nothing (`hidepid`). */
const HIDDEN = Symbol("hidden");

/** With hidepid=2 a process of somebody else has no folder in /proc; a signal to it is refused all the same. */
const isHidden = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
};

const readLinuxStart = (pid: number): string | undefined | typeof HIDDEN => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // comm (field 2) may hold spaces and brackets: count from behind its last one.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const state = fields[0];
    if (state === "Z" || state === "X") return undefined;
    return fields[LINUX_STARTTIME_FIELD - 3];
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (!["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(code)) throw error;
    return isHidden(pid) ? HIDDEN : undefined;
  }
};

const readDarwinStart = (pid: number): string | undefined => {
  try {
    const text = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" },
    }).trim();
    return text === "" || text.startsWith("Z") ? undefined : text.replace(/^\S+\s+/, "");
  } catch {
    return undefined;
  }
};

let knownBootId: string | undefined;

/** Identity of the running boot; the same for every process until the machine restarts. */
export const readBootId = (): string => {
  knownBootId ??=
    process.platform === "linux"
      ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
      : execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
  return knownBootId;
};

let knownHost: string | undefined;

/** What tells this machine from others: its name, and its machine id where it has one. */
const readHost = (): string => {
  if (knownHost !== undefined) return knownHost;
  let machine = "";
  try {
    machine = readFileSync("/etc/machine-id", "utf8").trim().slice(0, 12);
  } catch {
    machine = ""; // macOS, small containers: the name has to do
  }
  return (knownHost = machine === "" ? hostname() : `${hostname()}-${machine}`);
};

let knownNamespace: string | undefined;

/** The pid namespace of this process; "" where the platform has none. */
const readPidNamespace = (): string => {
  if (knownNamespace !== undefined) return knownNamespace;
  try {
    knownNamespace = process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "";
  } catch {
    knownNamespace = "";
  }
  return knownNamespace;
};

const lookUp = (pid: number): string | undefined | typeof HIDDEN =>
  process.platform === "linux" ? readLinuxStart(pid) : readDarwinStart(pid);

/** When the process started, as the platform says it; undefined when there is no such process (zombies count as none). */
export const readStartTime = (pid: number): string | undefined => {
  const found = lookUp(pid);
  return found === HIDDEN ? undefined : found;
};

/** The identity of a live process of our own pid namespace; undefined when it is gone. */
export const findIdentity = (pid: number): ChildIdentity | undefined => {
  const startTime = readStartTime(pid);
  return startTime === undefined
    ? undefined
    : { pid, startTime, bootId: readBootId(), host: readHost(), pidNamespace: readPidNamespace() };
};

/** The identity of this process. */
export const ownIdentity = (): ChildIdentity => {
  const identity = findIdentity(process.pid);
  if (!identity) throw new Error(`no start time for our own pid ${process.pid}`);
  return identity;
};

/** Whether exactly this process is running, as far as can be told from here (a reused pid or an earlier boot is dead). */
export const judgeLife = ({ pid, startTime, bootId, host, pidNamespace }: ChildIdentity): Liveness => {
  if (bootId !== readBootId()) return host === undefined || host === readHost() ? "dead" : "unknown";
  if (pidNamespace !== undefined && pidNamespace !== readPidNamespace()) return "unknown";
  const found = lookUp(pid);
  if (found === HIDDEN) return "unknown";
  return found === startTime ? "alive" : "dead";
};

/** Whether exactly this process is proven to be running here. */
export const isAlive = (identity: ChildIdentity): boolean => judgeLife(identity) === "alive";
