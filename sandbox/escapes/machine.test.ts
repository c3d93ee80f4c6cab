import { spawn, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { afterEach, describe } from "vitest";
import {
  CANARY,
  describeEscapes,
  type Escape,
  type EscapeLab,
  type Prepare,
  type Worked,
} from "../fixtures/escape-lab.ts";
import { startVictim as spawnVictim, type Victim } from "../fixtures/victim.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const startVictim = (lab: EscapeLab): Victim => {
  const victim = spawnVictim(lab);
  closing.push(() => victim.kill("SIGKILL"));
  return victim;
};

const victimPid: Prepare = (lab) => {
  lab.put("home/.ssh/id_ed25519", CANARY);
  return startVictim(lab).pid;
};

const saysYes: Worked = (_, { stdout }) => stdout.includes("yes");

describe("reaching processes of the user's", () => {
  let victim: Victim | undefined;
  const prepare: Prepare = (lab) => {
    victim = startVictim(lab);
    return victim.pid;
  };
  const isDead = () =>
    new Promise<boolean>((resolve) => {
      if (victim?.signalCode) return resolve(true);
      victim?.once("exit", () => resolve(true));
      victim?.stdout.once("data", () => resolve(false));
      victim?.stdin.write("alive?\n");
    });
  describeEscapes([
    { title: "ending one by its number", prepare, script: "kill -9 {n}", worked: isDead },
    {
      title: "ending one by what it looks like",
      prepare,
      script: `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null | grep -qx 'cat - {root}/victim ' && kill -9 "\${p#/proc/}"; done`,
      worked: isDead,
    },
    {
      title: "seeing that it is there",
      prepare: victimPid,
      script: "[ -d /proc/{n} ] && grep -q cat /proc/{n}/comm && echo yes",
      worked: saysYes,
    },
    {
      title: "reading its environment",
      prepare: victimPid,
      script: "tr '\\0' '\\n' < /proc/{n}/environ | grep CANARY",
    },
    {
      title: "reading through its working directory",
      prepare: victimPid,
      script: "cat /proc/{n}/cwd/.ssh/id_ed25519",
    },
    {
      title: "reading through its root",
      prepare: victimPid,
      script: "cat /proc/{n}/root{home}/.ssh/id_ed25519",
    },
    {
      title: "reading its memory",
      prepare: victimPid,
      script: "head -c 0 /proc/{n}/mem && echo yes",
      worked: saysYes,
    },
    {
      title: "changing its limits",
      prepare: victimPid,
      script: "prlimit --pid {n} --nofile=64 && echo yes",
      worked: saysYes,
    },
    {
      title: "entering its namespaces",
      needsRoot: true,
      prepare: victimPid,
      script: "nsenter --target {n} --mount cat {home}/.ssh/id_ed25519",
    },
  ]);
});

describe("leaving something running", () => {
  const isAlive: Worked = (lab) => {
    // Its name is told to nobody else.
    const name = `${lab.root.slice(-6)}-left`;
    // Again, until none is found: one of them goes on in ever new processes.
    closing.push(() => {
      while (spawnSync("pkill", ["-KILL", "-f", name]).status === 0);
    });
    return spawnSync("pgrep", ["-f", name]).status === 0;
  };
  const unmarked = (rest: string) =>
    `d={root}; t=$(printf %s "$d" | tail -c 6)-left; ${rest}\nwhile ! [ -e up ]; do sleep 0.02; done`;
  const loop = "touch up; exec sleep 300";
  describeEscapes([
    {
      title: "without marks, in a session of its own",
      script: unmarked(
        `env -i setsid /usr/bin/prlimit --locks=unlimited: sh -c '${loop}' "$t" >/dev/null 2>&1 &`.replace(
          "exec sleep 300",
          "while :; do sleep 1; done",
        ),
      ),
      worked: isAlive,
    },
    {
      title: "twice forked, deaf to being told to end",
      script: unmarked(
        `(env -i setsid /usr/bin/prlimit --locks=unlimited: sh -c 'trap "" TERM HUP INT; touch up; while :; do sleep 1; done' "$t" >/dev/null 2>&1 &)`,
      ),
      worked: isAlive,
    },
    {
      title: "under another name",
      script: unmarked(
        `env -i setsid /usr/bin/prlimit --locks=unlimited: bash -c 'touch up; exec -a "[kworker/0:1] $0" sleep 300' "$t" >/dev/null 2>&1 &`,
      ),
      worked: isAlive,
    },
    {
      title: "a chain that starts itself again and again",
      script: unmarked(
        `env -i setsid /usr/bin/prlimit --locks=unlimited: sh -c 'touch up; n() { sleep 0.2; n & }; n; while :; do sleep 1; done' "$t" >/dev/null 2>&1 &`,
      ),
      worked: isAlive,
    },
  ]);
});

describe("changing the machine", () => {
  const opens = (path: string): Pick<Escape, "script" | "worked" | "needsRoot"> => ({
    script: `( : >> ${path} ) 2>/dev/null && echo yes`,
    worked: saysYes,
    needsRoot: true,
  });
  describeEscapes([
    { title: "what the kernel starts when a program crashes", ...opens("/proc/sys/kernel/core_pattern") },
    { title: "what the kernel says on its console", ...opens("/proc/sys/kernel/printk") },
    { title: "the machine's name", ...opens("/proc/sys/kernel/hostname") },
    { title: "memory pages", ...opens("/proc/sys/vm/overcommit_memory") },
    {
      title: "a mount of its own",
      script: "mkdir m; unshare --map-root-user --mount mount -t tmpfs x m && echo yes",
      worked: saysYes,
    },
    { title: "a user namespace", script: "unshare --user true && echo yes", worked: saysYes },
    {
      title: "taking a cover off",
      needsRoot: true,
      prepare: (lab) => lab.put("home/.ssh/id_ed25519", CANARY),
      script: "umount {home}/.ssh 2>/dev/null; cat {home}/.ssh/id_ed25519",
    },
    {
      title: "a device of its own",
      needsRoot: true,
      script: "mknod disk b 7 0 && echo yes",
      worked: saysYes,
    },
    {
      title: "another root",
      needsRoot: true,
      script: "PATH=$PATH:/usr/sbin chroot / true && echo yes",
      worked: saysYes,
    },
    {
      title: "the machine's settings",
      needsRoot: true,
      script: "[ -w /etc/hostname ] && echo yes",
      worked: saysYes,
    },
  ]);
});

describe("memory that is shared by name", () => {
  describeEscapes([
    {
      title: "a file in shared memory",
      prepare: (lab) => {
        const file = `/dev/shm/${lab.root.slice(-6)}`;
        closing.push(() => rmSync(file, { force: true }));
        writeFileSync(file, CANARY);
        return file;
      },
      script: "cat {n}",
    },
    {
      title: "a segment of System V",
      prepare: async () => {
        const made = spawn("ipcmk", ["--shmem", "4096"]);
        let said = "";
        made.stdout.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
        await new Promise((resolve) => made.once("close", resolve));
        const id = /(\d+)\s*$/.exec(said)?.[1] ?? "";
        closing.push(() => spawn("ipcrm", ["--shmem-id", id]));
        return id;
      },
      script: "ipcs --shmems --id {n} | grep -q 'uid' && echo yes",
      worked: saysYes,
    },
  ]);
});
