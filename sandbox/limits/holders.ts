import { execFileSync } from "node:child_process";
import { release } from "node:os";
import { findPrlimit } from "../../core/limit-mark.ts";
import { findDelegatedGroup } from "./cgroup.ts";

/** What holds a session to its limits on this machine. */
export type LimitHolders = {
  /** `pid-namespace`: for root, whom the limit of its user does not hold */
  processes: "cgroup" | "rlimit" | "pid-namespace" | "nothing";
  /** `rlimit`: each process by itself, not all together */
  memory: "cgroup" | "rlimit" | "nothing";
  cpus: "cgroup" | "nothing";
};

export type FoundHolders = LimitHolders & {
  /** in which a group for each sandbox is made */
  group: string | undefined;
};

export const NOT_HELD: FoundHolders = {
  processes: "nothing",
  memory: "nothing",
  cpus: "nothing",
  group: undefined,
};

const TRY_MS = 10_000;

/** What starts a program as the first of a pid namespace that ends with it, and with whoever started it. */
export const IN_PID_NAMESPACE: readonly string[] = [
  "/usr/bin/setpriv",
  "--pdeathsig=KILL",
  "--",
  "/usr/bin/unshare",
  "--pid",
  "--fork",
  "--mount-proc",
  "--kill-child=SIGKILL",
  "--",
];

/** From Linux 6.14 on each pid namespace has a highest number of its own; before, it was that of the whole machine. */
const hasOwnPidMax = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return major > 6 || (major === 6 && minor >= 14);
};

const canMakePidNamespace = (): boolean => {
  if (!hasOwnPidMax(release())) return false;
  try {
    const [command = "", ...args] = IN_PID_NAMESPACE;
    execFileSync(
      command,
      [...args, "/bin/sh", "-c", "[ -w /proc/sys/kernel/pid_max ] && /usr/bin/env --default-signal=INT true"],
      {
        stdio: "ignore",
        timeout: TRY_MS,
      },
    );
    return true;
  } catch {
    return false;
  }
};

const find = (): FoundHolders => {
  const group = process.platform === "linux" ? findDelegatedGroup() : undefined;
  if (group !== undefined) return { processes: "cgroup", memory: "cgroup", cpus: "cgroup", group };
  const hasLimits = findPrlimit() !== undefined;
  const ofUser = hasLimits ? "rlimit" : "nothing";
  // Linux holds root to no number of processes (fork(2), EAGAIN).
  const ofRoot = process.platform === "linux" && canMakePidNamespace() ? "pid-namespace" : "nothing";
  return {
    processes: process.getuid?.() === 0 ? ofRoot : ofUser,
    memory: ofUser,
    cpus: "nothing",
    group,
  };
};

let found: FoundHolders | undefined;

/** Looked for once, and tried for real. */
export const findLimitHolders = (): FoundHolders => (found ??= find());
