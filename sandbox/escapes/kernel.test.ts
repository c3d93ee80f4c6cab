import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe } from "vitest";
import { CANARY, describeEscapes, type Prepare, type Worked } from "../fixtures/escape-lab.ts";
import { startVictim } from "../fixtures/victim.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const saysYes: Worked = (_, { stdout }) => stdout.includes("yes");

const victimPid: Prepare = async (lab) => {
  lab.put("home/.ssh/id_ed25519", CANARY);
  const victim = startVictim(lab);
  closing.push(() => victim.kill("SIGKILL"));
  // Its answer says that it is the program that it is to become.
  await new Promise<void>((resolve) => {
    victim.stdout.once("data", () => resolve());
    victim.stdin.write("up\n");
  });
  return victim.pid;
};

/** Numbers of system calls, from the kernel's tables. */
const CALLS = {
  x64: {
    ptrace: 101,
    process_vm_readv: 310,
    pidfd_open: 434,
    pidfd_getfd: 438,
    unshare: 272,
    process_madvise: 440,
  },
  arm64: {
    ptrace: 117,
    process_vm_readv: 270,
    pidfd_open: 434,
    pidfd_getfd: 438,
    unshare: 97,
    process_madvise: 440,
  },
};
const calls = process.arch === "arm64" ? CALLS.arm64 : CALLS.x64;
const perl = (program: string) => `perl -e '${program}' && echo yes`;

// By root: who else may trace what is not their child differs from machine to machine (Yama).
describe.skipIf(!existsSync("/usr/bin/perl"))("tracing processes of the user's", () => {
  const [ATTACH, SEIZE] = [16, 0x4206];
  const base = { prepare: victimPid, worked: saysYes, needsRoot: true };
  describeEscapes([
    {
      title: "attaching to one",
      script: perl(`exit(syscall(${calls.ptrace},${ATTACH},{n},0,0)==0?0:1)`),
      ...base,
    },
    { title: "seizing one", script: perl(`exit(syscall(${calls.ptrace},${SEIZE},{n},0,0)==0?0:1)`), ...base },
    {
      title: "copying out of its memory",
      script: `at=$(sed -n '/\\[stack\\]/s/-.*//p' /proc/{n}/maps); ${perl(`$to="x"x64;$l=pack("PQ",$to,64);$r=pack("QQ",hex("'$at'"),64);exit(syscall(${calls.process_vm_readv},{n},$l,1,$r,1,0)<0?1:0)`)}`,
      ...base,
    },
    {
      title: "taking one of its open files",
      script: perl(
        `$p=syscall(${calls.pidfd_open},{n},0);exit 1 if $p<0;exit(syscall(${calls.pidfd_getfd},$p,0,0)<0?1:0)`,
      ),
      ...base,
    },
  ]);
});

describe("looking around in /proc", () => {
  const base = { prepare: victimPid, worked: saysYes };
  const root = { ...base, needsRoot: true };
  describeEscapes([
    {
      title: "how others were called",
      script: "tr '\\0' ' ' < /proc/{n}/cmdline | grep -q victim && echo yes",
      ...base,
    },
    { title: "what others have open", script: "ls /proc/{n}/fd/0 && echo yes", ...base },
    { title: "where others' memory is", script: "grep -q stack /proc/{n}/maps && echo yes", ...base },
    {
      title: "whom the kernel ends first",
      script: "echo 500 > /proc/{n}/oom_score_adj && echo yes",
      ...base,
    },
    { title: "others' mounts", script: "grep -q / /proc/{n}/mountinfo && echo yes", ...base },
    {
      title: "the kernel's settings in /sys",
      script: "[ -w /sys/kernel/mm/transparent_hugepage/enabled ] && echo yes",
      ...root,
    },
  ]);
});

describe("mounting, and leaving its namespaces", () => {
  const root = { needsRoot: true, worked: saysYes };
  describeEscapes([
    {
      title: "another folder over one of its own",
      script: "mkdir m; mount --bind {other} m && umount m && echo yes",
      ...root,
    },
    {
      title: "a file system in memory",
      script: "mkdir m; mount -t tmpfs x m && umount m && echo yes",
      ...root,
    },
    {
      title: "the root once more, to be written",
      prepare: (lab) => join(lab.root, "again"),
      script: "mkdir again; mount --bind / again && umount again && echo yes",
      ...root,
    },
    {
      title: "a user namespace, by the system call",
      script: perl(`exit(syscall(${calls.unshare},0x10000000)==0?0:1)`),
      worked: saysYes,
    },
    {
      title: "a network of its own",
      script: "unshare --map-root-user --net true && echo yes",
      worked: saysYes,
    },
  ]);
});
