import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardFolder } from "./guard.ts";

const isMounted = (folder: string, size: string): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]).status === 0;

const tryOut = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-disk-"));
  try {
    if (!isMounted(folder, "64k")) return false;
    execFileSync("umount", [folder]);
    return true;
  } finally {
    rmdirSync(folder);
  }
};

/** Whether a file system of a size of our choosing can be mounted here: only root may, and not in every container. */
export const canMount = process.platform === "linux" && tryOut();

/** A file system of this size ("64k", "160m") over a folder, until what is returned takes it away again. */
export const mountSmallDisk = (folder: string, size: string): (() => void) => {
  mkdirSync(folder, { recursive: true });
  if (!isMounted(folder, size)) throw new Error(`${folder} could not be mounted over`);
  // Lazily: a process that is being ended may still hold a file.
  return () => void execFileSync("umount", ["--lazy", folder]);
};

export type SmallDisk = {
  folder: string;
  /** Leaves so many bytes free. */
  fill: (leftBytes: number) => void;
  /** Gives the room back that `fill` took. */
  free: () => void;
  remove: () => void;
};

/** A small file system in a new folder that every user may write in. */
export const createSmallDisk = (size: string): SmallDisk => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-full-"));
  const endGuard = guardFolder(folder);
  const unmount = mountSmallDisk(folder, size);
  chmodSync(folder, 0o777);
  const filler = join(folder, "filler");
  return {
    folder,
    fill: (leftBytes) => {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => {
      unmount();
      rmdirSync(folder);
      endGuard();
    },
  };
};
