import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readFileIfThere } from "../core/read-file.ts";
import { bunBinary } from "./bun.ts";
import { canMount } from "./small-disk.ts";
import { waitFor } from "./wait-for.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-guard-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const isMounted = () => (readFileIfThere("/proc/mounts") ?? "").includes(`${folder}/disk`);

const KILLED = `
  import { spawn } from "node:child_process";
  import { guardFolder } from ${JSON.stringify(resolve(import.meta.dirname, "guard.ts"))};
  import { canMount, mountSmallDisk } from ${JSON.stringify(resolve(import.meta.dirname, "small-disk.ts"))};
  const folder = process.argv[2];
  guardFolder(folder);
  if (canMount) mountSmallDisk(folder + "/disk", "64k");
  const { pid } = spawn("sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: "ignore",
    detached: true,
  });
  console.log(pid);
  setInterval(() => {}, 1000);`;

test("a test that is killed leaves no process, no mount and no folder behind", async () => {
  const child = spawn(bunBinary(), ["-e", KILLED, "test", folder], { stdio: ["ignore", "pipe", "inherit"] });
  const pid = await new Promise<number>((tell) => child.stdout.once("data", (text) => tell(Number(text))));
  const isThere = () => existsSync(`/proc/${pid}`);
  expect(isThere()).toBe(true);
  expect(isMounted()).toBe(canMount);
  child.kill("SIGKILL");
  await waitFor("everything to be gone", () => !isThere() && !isMounted() && !existsSync(folder));
});
