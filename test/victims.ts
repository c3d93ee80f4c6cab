import { readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { type ChildIdentity, findIdentity } from "../core/process-identity.ts";
import { MARKER } from "../core/process-tree.ts";

/** What a kill test kills: `tool` is whatever an agent has started and that is no git. */
export const VICTIM_KINDS = ["supervisor", "agent", "tool", "git"] as const;
export type VictimKind = (typeof VICTIM_KINDS)[number];

const readProcess = (pid: number, file: "cmdline" | "environ"): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return ""; // it is gone
  }
};

const kindOf = (words: readonly string[]): VictimKind | undefined => {
  if (/^git(?:-|$)/.test(basename(words[0] ?? ""))) return "git";
  const script = basename(words.find((word) => word.endsWith(".js")) ?? "");
  if (script === "supervisor.js") return "supervisor";
  if (script === "program.js") return "agent";
  return script === "" ? "tool" : undefined; // a pool, a steerer, a command
};

export const findKind = (pid: number): VictimKind | undefined => {
  const command = readProcess(pid, "cmdline");
  return command === "" ? undefined : kindOf(command.split("\0"));
};

/** Live processes of a kind that were started with `root` in their environment and a mark of ours. */
export const findVictims = (root: string, kind: VictimKind): ChildIdentity[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      if (pid === process.pid) return false;
      if (findKind(pid) !== kind) return false;
      const environ = readProcess(pid, "environ");
      return environ.includes(root) && environ.includes(`${MARKER}=`);
    })
    .map((pid) => findIdentity(pid))
    .filter((identity) => identity !== undefined);
