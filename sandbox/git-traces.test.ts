import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bunBinary } from "../test/bun.ts";
import { EscapeLab, bubblewrap } from "./fixtures/escape-lab.ts";
import { findGitPlaces } from "./git-places.ts";
import { noteGitTraces } from "./git-traces.ts";

let lab: EscapeLab;
beforeEach(() => {
  lab = new EscapeLab();
});
afterEach(() => lab.dispose());

const NAMES = ["commondir", "info/attributes", "objects/info/alternates"];
const there = (): string[] => NAMES.filter((name) => existsSync(join(lab.tree, ".git", name)));

test.skipIf(bubblewrap === undefined)(
  "a session's end takes away what was made in the repository, and only that",
  async () => {
    writeFileSync(join(lab.tree, ".git/info/attributes"), "");
    const { stdout } = await lab.run("cat .git/commondir; ls .git/objects/info", "bubblewrap");
    expect(stdout).toBe(".\nalternates\n");
    expect(there()).toEqual(["info/attributes"]);
    expect(readdirSync(join(lab.tree, ".git/nightshift"))).toEqual([]);
    expect(lab.git("status", "--porcelain")).toBe("");
  },
);

test("the files stay while another sandbox is open in the repository, and what somebody wrote stays", async () => {
  const first = await noteGitTraces(lab.tree);
  findGitPlaces(lab.tree);
  const second = await noteGitTraces(lab.tree);
  await first.remove();
  expect(there()).toEqual(NAMES);
  writeFileSync(join(lab.tree, ".git/info/attributes"), "* text\n");
  await second.remove();
  expect(there()).toEqual(["info/attributes"]);
  expect(readFileSync(join(lab.tree, ".git/info/attributes"), "utf8")).toBe("* text\n");
});

test("what a killed process left is taken away with the next sandbox", async () => {
  const program = `
    const { noteGitTraces } = await import(${JSON.stringify(join(import.meta.dirname, "git-traces.ts"))});
    const { findGitPlaces } = await import(${JSON.stringify(join(import.meta.dirname, "git-places.ts"))});
    await noteGitTraces(process.argv.at(-1));
    findGitPlaces(process.argv.at(-1));
    process.kill(process.pid, "SIGKILL");
  `;
  const child = spawn(bunBinary(), ["--eval", program, lab.tree], { stdio: "ignore" });
  expect((await once(child, "exit"))[1]).toBe("SIGKILL");
  expect(there()).toEqual(NAMES);
  const next = await noteGitTraces(lab.tree);
  findGitPlaces(lab.tree);
  await next.remove();
  expect(there()).toEqual([]);
});

test("sandboxes that open and close at the same time keep each other's files until the last one", async () => {
  const opened = await Promise.all([1, 2, 3, 4, 5].map(() => noteGitTraces(lab.tree)));
  findGitPlaces(lab.tree);
  const [last, ...others] = opened;
  await Promise.all(others.map(({ remove }) => remove()));
  expect(there()).toEqual(NAMES);
  await last?.remove();
  expect(there()).toEqual([]);
});
