import { systemCode } from "./errors.ts";
import { childProcess, fs } from "./node-modules.ts";

/**
 * What tells one process from every other, through pid reuse and reboots: its pid, when it started (an
 * opaque string of the platform: clock ticks since boot on Linux, the start date on macOS) and the boot.
 */
export type ChildIdentity = { pid: number; startTime: string; bootId: string };

const LINUX_STARTTIME_FIELD = 22; // proc(5), /proc/<pid>/stat

const readLinuxStart = (pid: number): string | undefined => {
  try {
    const stat = fs().readFileSync(`/proc/${pid}/stat`, "utf8");
    // comm (field 2) may hold spaces and brackets: count from behind its last one.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const state = fields[0];
    if (state === "Z" || state === "X") return undefined;
    return fields[LINUX_STARTTIME_FIELD - 3];
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ESRCH") return undefined;
    throw error;
  }
};

const readDarwinStart = (pid: number): string | undefined => {
  try {
    const text = childProcess()
      .execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
        encoding: "utf8",
        env: { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" },
      })
      .trim();
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
      ? fs().readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
      : childProcess()
          .execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" })
          .trim();
  return knownBootId;
};

/** When the process started, as the platform says it; undefined when there is no such process (zombies count as none). */
export const readStartTime = (pid: number): string | undefined =>
  process.platform === "linux" ? readLinuxStart(pid) : readDarwinStart(pid);

/** The identity of a live process; undefined when it is gone. */
export const findIdentity = (pid: number): ChildIdentity | undefined => {
  const startTime = readStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime, bootId: readBootId() };
};

/** The identity of this process. */
export const ownIdentity = (): ChildIdentity => {
  const identity = findIdentity(process.pid);
  if (!identity) throw new Error(`no start time for our own pid ${process.pid}`);
  return identity;
};

/** Whether exactly this process is still running (a reused pid or another boot is a no). */
export const isAlive = (identity: ChildIdentity): boolean =>
  identity.bootId === readBootId() && readStartTime(identity.pid) === identity.startTime;
