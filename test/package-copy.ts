import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach } from "vitest";

const REPO = resolve(import.meta.dirname, "..");

/** A copy of the built package for each test of a file: what a test does to its installation stays there. */
export class PackageCopy {
  root = "";

  get home(): string {
    return join(this.root, "home");
  }

  at(...path: string[]): string {
    return join(this.root, "package", ...path);
  }

  /** The compiled forms that lie in a folder. */
  compiled(folder: string): string[] {
    return readdirSync(folder).filter((name) => name.endsWith(".bin"));
  }

  dropCompiled(folder: string): void {
    for (const name of this.compiled(folder)) rmSync(join(folder, name));
  }

  /** Makes it impossible to write this file: not even root can replace a folder by a file. */
  bar(file: string): void {
    mkdirSync(join(file, "taken"), { recursive: true });
  }

  run(script: string, argument: string, { runtime = "node", home = this.home } = {}) {
    const { status, stdout, stderr } = spawnSync(runtime, [this.at(script), argument], {
      cwd: this.root,
      env: { PATH: process.env["PATH"], HOME: home },
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }
}

/** Copies these parts of the repository, as they are built, before each test. */
export const usePackageCopy = (parts: readonly string[]): PackageCopy => {
  const copy = new PackageCopy();
  beforeEach(() => {
    copy.root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-start-")));
    mkdirSync(copy.at());
    for (const part of ["package.json", ...parts])
      cpSync(join(REPO, part), copy.at(part), { recursive: true });
    symlinkSync(join(REPO, "node_modules"), copy.at("node_modules"));
  });
  afterEach(() => rmSync(copy.root, { recursive: true, force: true }));
  return copy;
};
