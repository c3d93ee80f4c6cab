import type { SandboxLimits } from "../settings.ts";
import type { LimitHolders } from "./holders.ts";

const NO_GROUP = "no cgroup v2 is delegated to you";

const PROCESSES: Record<LimitHolders["processes"], string> = {
  cgroup: "held by a cgroup",
  rlimit: "held by the kernel's limit for a user",
  "pid-namespace": "held by the numbers of a pid namespace",
  nothing: `not held: ${NO_GROUP}, and nothing else holds root before Linux 6.14`,
};

const MEMORY: Record<LimitHolders["memory"], string> = {
  cgroup: "of all together, held by a cgroup",
  rlimit: `of each process by itself: ${NO_GROUP}`,
  nothing: `not held: ${NO_GROUP}`,
};

const CPUS: Record<LimitHolders["cpus"], string> = {
  cgroup: "held by a cgroup",
  nothing: `not held: ${NO_GROUP}`,
};

/** The limits of processes, memory and processors in lines for people, each with what holds it here. */
export const describeLimits = (
  { processes, memoryMiB, cpus }: SandboxLimits,
  held: LimitHolders,
): string[] => [
  `${processes} processes, ${PROCESSES[held.processes]}`,
  memoryMiB === undefined
    ? "memory: no limit is set; where the machine's ends, the kernel ends these processes first"
    : `${memoryMiB} MiB of memory, ${MEMORY[held.memory]}`,
  cpus === undefined ? "processors: no limit is set" : `${cpus} processors, ${CPUS[held.cpus]}`,
];

/** In one line, what can be held on this machine. */
export const describeHolders = ({ processes, memory, cpus }: LimitHolders): string =>
  memory === "cgroup"
    ? "limits of processes, memory and processors are held by cgroups"
    : [
        `processes ${processes === "nothing" ? "cannot be limited" : `are limited by ${processes === "rlimit" ? "the kernel's limit for a user" : "a pid namespace"}`}`,
        `memory ${memory === "nothing" ? "cannot be limited" : "of each process can be limited"}`,
        `processors ${cpus === "nothing" ? "cannot be limited" : "can be limited"}: ${NO_GROUP}`,
      ].join(", ");
