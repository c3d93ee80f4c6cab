import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const program = resolve(import.meta.dirname, "../dist/scripts/worker.js");
let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-start-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const PRINT_LOADED = `data:text/javascript,process.on("exit", () => console.error(process.moduleLoadList.join()))`;

test("worker list loads no module of Node's that takes longer than its work", () => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--import", PRINT_LOADED, program, "list"],
    {
      env: { HOME: home, PATH: process.env["PATH"] },
      encoding: "utf8",
    },
  );
  expect(status).toBe(0);
  expect(stdout).toContain("no workers in");
  const loaded = stderr.split(",").filter((name) => name.startsWith("NativeModule"));
  expect(loaded).toContain("NativeModule fs");
  for (const name of ["child_process", "crypto", "stream", "net", "http", "tty"])
    expect(loaded).not.toContain(`NativeModule ${name}`);
});

test("every other command is found from the one file that the list starts from", () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], {
      env: { HOME: home, PATH: process.env["PATH"] },
      encoding: "utf8",
    });
  const commands = run("--help").stdout.match(/(?<=^ {2}worker )[a-z-]+(?: [a-z]+)?(?= {2})/gm) ?? [];
  expect(commands).toContain("rescue apply");
  expect(commands).toContain("stop-all");
  for (const command of commands) expect(run(...command.split(" "), "--help").stdout).toContain("Usage");
  // An error that a file beside the bundle throws is known for what it is.
  expect(run("status", "nobody")).toMatchObject({ status: 66 });
});
