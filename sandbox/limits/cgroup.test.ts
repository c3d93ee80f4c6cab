// @module-tag long
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const KERNEL = "/usr/bin/linux.uml";
const dist = resolve(import.meta.dirname, "../../dist/sandbox/limits");
const program = join(import.meta.dirname, "fixtures/in-kernel.mjs");

/** What the first program of a kernel of its own does (User Mode Linux); it sees this machine's files, and only reads. */
const INIT = `#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
"${process.execPath}" "${program}" "${dist}"
echo o > /proc/sysrq-trigger
sleep 60
`;

test.skipIf(!existsSync(KERNEL))(
  "where cgroup v2 is delegated, groups hold processes, memory and processors, and go with their sandbox",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "nightshift-kernel-"));
    try {
      const init = join(folder, "init");
      writeFileSync(init, INIT);
      chmodSync(init, 0o755);
      const { stdout } = spawnSync(
        KERNEL,
        [
          "mem=1G",
          "rootfstype=hostfs",
          "ro",
          `init=${init}`,
          "con=null",
          "con0=null,fd:1",
          "quiet",
          `uml_dir=${folder}`,
        ],
        {
          encoding: "utf8",
          timeout: 240_000,
          stdio: ["ignore", "pipe", "pipe"],
          env: { PATH: "/usr/bin:/bin", TMPDIR: folder, HOME: folder },
        },
      );
      const said = /^RESULT (.*)$/m.exec(stdout.replaceAll("\r", ""))?.[1];
      expect(said, stdout).toBeDefined();
      expect(JSON.parse(said ?? "")).toEqual({
        parent: "/sys/fs/cgroup/user",
        held: { processes: "cgroup", memory: "cgroup", cpus: "cgroup" },
        cpu: "50000 100000",
        few: "all",
        bomb: "",
        small: "8000000",
        eater: "0",
        isLeft: false,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  300_000,
);
