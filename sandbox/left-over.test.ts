import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { waitFor } from "../test/wait-for.ts";
import { bubblewrap, EscapeLab } from "./fixtures/escape-lab.ts";

let lab = new EscapeLab();
lab.dispose();
beforeEach(() => {
  lab = new EscapeLab();
});
afterEach(() => lab.dispose());

const dist = resolve(import.meta.dirname, "../dist/sandbox");
const program = join(import.meta.dirname, "fixtures/hold-open.mjs");

/** Processes that were called with a word, whatever they are. */
const runningWith = (word: string): string[] =>
  (spawnSync("pgrep", ["-f", word], { encoding: "utf8" }).stdout ?? "").split("\n").filter(Boolean);

const mountsBelow = (folder: string): string[] =>
  readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(folder));

test.skipIf(bubblewrap === undefined)(
  "when what holds a sandbox is killed, its processes, its folder and its mounts are gone",
  async () => {
    const rooms = join(lab.root, "rooms");
    mkdirSync(rooms);
    const token = `left-${lab.root.slice(-6)}`;
    const holder = spawn(process.execPath, [program, dist, lab.tree, lab.home, token], {
      env: { ...lab.env, TMPDIR: rooms },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise<void>((up, failed) => {
      holder.stdout.once("data", () => up());
      holder.once("exit", (code) => failed(new Error(`it ended with ${code}`)));
    });
    expect(runningWith(token).length).toBeGreaterThan(2);
    expect(readdirSync(rooms)).toHaveLength(1);
    holder.removeAllListeners("exit");
    holder.kill("SIGKILL");
    await waitFor("its processes to be gone", () => runningWith(token).length === 0);
    await waitFor("its folder to be gone", () => readdirSync(rooms).length === 0);
    expect(mountsBelow(lab.root)).toEqual([]);
  },
);
