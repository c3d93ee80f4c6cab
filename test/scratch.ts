import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A folder of its own, written to and read by paths in it. */
export class Scratch {
  root = "";

  put(path: string, text: string): void {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** git in the folder, with a name to commit as and nothing of this machine's configuration. */
  git(...args: string[]): string {
    return execFileSync("git", ["-C", this.root, "-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      encoding: "utf8",
      stdio: "pipe",
      env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    });
  }
}

/** An empty folder for each test of the file, gone after it. */
export const useScratch = (): Scratch => {
  const scratch = new Scratch();
  beforeEach(() => {
    scratch.root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-scratch-")));
  });
  afterEach(() => rmSync(scratch.root, { recursive: true, force: true }));
  return scratch;
};
