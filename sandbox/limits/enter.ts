import { makeGroup, removeGroup } from "./cgroup.ts";
import { findPrlimit } from "../../core/limit-mark.ts";
import type { SandboxLimits } from "../settings.ts";
import { type FoundHolders, IN_PID_NAMESPACE } from "./holders.ts";

const MEBIBYTE = 1024 * 1024;
/** Numbers that Linux gives to nobody once it has come to the highest one. */
const RESERVED_PIDS = 300;

type Start = { command: string; args: string[] };

/** Starts sandboxes under their limits. */
export type Limiter = {
  /** inside: what holds each process by itself */
  inside: (start: Start) => Start;
  /** outside: what holds all of them together */
  outside: (start: Start) => Start;
  /** the cgroup that was made for it */
  group: string | undefined;
  close: () => void;
};

/**
 * $1 is a group's file of processes, or empty. The kernel, when it has no memory left, ends first what runs here:
 * a session must not cost the machine.
 */
const ENTER = `
file=$1; shift
echo 1000 2>/dev/null >/proc/self/oom_score_adj
if [ -n "$file" ] && ! echo 0 >"$file"; then
  echo "nightshift: the limits of the sandbox could not be set" >&2
  exit 69
fi
exec "$@"
`.trim();

/**
 * $1 is the highest number of a process. The first one of a namespace hears no signal that it has no answer for; what
 * a shell starts beside itself would be deaf to interrupts, and so would all that it starts.
 */
const COUNT = `
if ! echo "$1" >/proc/sys/kernel/pid_max; then
  echo "nightshift: the number of processes could not be limited" >&2
  exit 69
fi
shift
trap 'exit 143' TERM INT HUP
exec 3<&0
/usr/bin/env --default-signal=INT --default-signal=QUIT "$@" <&3 3<&- &
exec <&- 3<&-
wait $!
`.trim();

/** @throws AppError `unavailable` where the group of the limits cannot be made */
export const openLimiter = (limits: SandboxLimits, holders: FoundHolders): Limiter => {
  const group = holders.group === undefined ? undefined : makeGroup(holders.group, limits);
  return {
    group,
    inside: (start) => withResourceLimits(start, limits, holders),
    outside: (start) => {
      const counted = holders.processes === "pid-namespace" ? inPidNamespace(start, limits) : start;
      if (process.platform !== "linux") return counted;
      const file = group === undefined ? "" : `${group}/cgroup.procs`;
      return {
        command: "/bin/sh",
        args: ["-c", ENTER, "nightshift", file, counted.command, ...counted.args],
      };
    },
    close: () => {
      if (group !== undefined) removeGroup(group);
    },
  };
};

const inPidNamespace = ({ command, args }: Start, { processes }: SandboxLimits): Start => {
  const [program = "", ...rest] = IN_PID_NAMESPACE;
  const highest = String(processes + RESERVED_PIDS);
  return {
    command: program,
    args: [...rest, "/bin/sh", "-c", COUNT, "nightshift", highest, command, ...args],
  };
};

/** Limits hold from the inside: those of a user namespace count what runs in it. */
const withResourceLimits = (
  start: Start,
  { fileMiB, processes, memoryMiB }: SandboxLimits,
  holders: FoundHolders,
): Start => {
  const program = findPrlimit();
  if (program === undefined) return start;
  const data =
    memoryMiB === undefined || holders.memory !== "rlimit" ? [] : [`--data=${memoryMiB * MEBIBYTE}`];
  return {
    command: program,
    args: [
      "--core=0",
      `--fsize=${fileMiB * MEBIBYTE}`,
      `--nproc=${processes}`,
      ...data,
      "--",
      start.command,
      ...start.args,
    ],
  };
};
