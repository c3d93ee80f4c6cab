import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bunBinary } from "../test/bun.ts";
import { copyDatabase } from "./sqlite-copy.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-copies-"));
  vi.stubEnv("TMPDIR", folder);
  writeFileSync(join(folder, "agent.db"), "a database");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const copies = (): string[] => readdirSync(folder).filter((name) => name.startsWith("nightshift-db-"));

test("the copy of a reader that was killed goes with the next one, and a living reader's stays", async () => {
  const source = join(folder, "agent.db");
  const script = `
    const { copyDatabase } = await import(${JSON.stringify(join(import.meta.dirname, "sqlite-copy.ts"))});
    console.log(copyDatabase(${JSON.stringify(source)}).path);
    setInterval(() => {}, 1000);`;
  const child = spawn(bunBinary(), ["-e", script], {
    env: { TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const first = copyDatabase(source);
  expect(copies()).toHaveLength(2);
  child.kill("SIGKILL");
  await once(child, "close");
  const second = copyDatabase(source);
  expect(copies()).toHaveLength(2);
  expect(existsSync(first.path)).toBe(true);
  first.remove();
  second.remove();
  expect(copies()).toEqual([]);
});

test("leaves alone what only looks like a copy", () => {
  mkdirSync(join(folder, "nightshift-db-backup"));
  copyDatabase(join(folder, "agent.db")).remove();
  expect(copies()).toEqual(["nightshift-db-backup"]);
});
