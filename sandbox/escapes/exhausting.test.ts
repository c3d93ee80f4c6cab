// @module-tag long
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe } from "vitest";
import { describeEscapes, type Prepare, type Worked } from "../fixtures/escape-lab.ts";
import { findLimitHolders } from "../limits/holders.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const saysYes: Worked = (_, { stdout }) => stdout.includes("yes");

const small: Prepare = (lab) => {
  lab.settings = { limits: { tmpMiB: 4, fileMiB: 4, processes: 64, memoryMiB: 256 } };
  const name = lab.root.slice(-6);
  for (const folder of ["/tmp", "/dev/shm", "/var/tmp"])
    closing.push(() => rmSync(join(folder, name), { force: true }));
  return name;
};

describe("filling disks", () => {
  const fillInParts = (path: string) =>
    `for i in 1 2 3; do head -c 2000000 /dev/zero > ${path}.$i || exit 1; done; rm ${path}.*; echo yes`;
  describeEscapes([
    { title: "the disk behind /tmp", prepare: small, script: fillInParts("/tmp/{n}"), worked: saysYes },
    {
      title: "the disk behind /var/tmp",
      prepare: small,
      script: fillInParts("/var/tmp/{n}"),
      worked: saysYes,
    },
    { title: "the disk behind the home", prepare: small, script: fillInParts("~/filler"), worked: saysYes },
    { title: "shared memory", prepare: small, script: fillInParts("/dev/shm/{n}"), worked: saysYes },
    {
      title: "the disk of the work tree, with one file",
      prepare: small,
      script: "head -c 6000000 /dev/zero > filler",
      worked: (lab) =>
        (statSync(join(lab.tree, "filler"), { throwIfNoEntry: false })?.size ?? 0) > 4 * 1024 * 1024,
    },
    {
      title: "the same, with a hole in it",
      prepare: small,
      script: "truncate -s 6000000 filler && echo yes",
      worked: saysYes,
    },
    {
      title: "after the limit was taken off again",
      prepare: small,
      script: "ulimit -f unlimited && head -c 6000000 /dev/zero > filler && echo yes",
      worked: saysYes,
    },
  ]);
});

// Bounded, so that with all rights they end: more than 64 processes, and than the 300 that a pid namespace keeps back.
describe.skipIf(findLimitHolders().processes === "nothing")("fork bombs", () => {
  describeEscapes([
    {
      title: "side by side",
      prepare: small,
      script: "n=0; while [ $n -lt 500 ]; do sleep 20 & n=$((n+1)); done; echo yes",
      worked: saysYes,
    },
    {
      title: "each in the one before",
      prepare: small,
      script: `printf '[ "$1" = 0 ] && echo yes || { sh ./deep $(($1-1)); : ; }' > deep; sh ./deep 450`,
      worked: saysYes,
    },
    {
      title: "in sessions of their own",
      prepare: small,
      script: "n=0; while [ $n -lt 500 ]; do setsid sleep 20 & n=$((n+1)); done; echo yes",
      worked: saysYes,
    },
  ]);
});

describe("using up memory", () => {
  const eat = `const all=[];for(let i=0;i<512;i+=16)all.push(Buffer.alloc(16<<20,1));console.log("yes")`;
  describeEscapes([
    { title: "in one process", prepare: small, script: `node -e '${eat}'`, worked: saysYes },
    {
      title: "after the limit was taken off again",
      prepare: small,
      script: `ulimit -d unlimited && node -e '${eat}'`,
      worked: saysYes,
    },
  ]);
});
