import { mkdirSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import type { Tell } from "./pool-ports.ts";

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

export type LeastFree = { minFreeMemoryBytes: number; minFreeDiskBytes: number };

/** Why this machine should take nothing more now; undefined while there is room. */
export const findShortage = (
  poolHome: string,
  { minFreeMemoryBytes, minFreeDiskBytes }: LeastFree,
): string | undefined => {
  const memory = freemem();
  if (memory < minFreeMemoryBytes)
    return `${mebibytes(memory)} of memory are free; tasks need at least ${mebibytes(minFreeMemoryBytes)}`;
  mkdirSync(poolHome, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = statfsSync(poolHome);
  if (bavail * bsize < minFreeDiskBytes)
    return `${mebibytes(bavail * bsize)} of disk are free in ${poolHome}; tasks need at least ${mebibytes(minFreeDiskBytes)}`;
  return undefined;
};

/** Says once that there is too little, however much it is at each look, and once that there is enough again. */
export const createShortageReport = (tell: Tell): ((lack: string | undefined) => void) => {
  let isShort = false;
  return (lack) => {
    if (lack !== undefined && !isShort) tell({ type: "problem", message: lack });
    if (lack === undefined && isShort)
      tell({ type: "ready", message: "enough memory and disk are free again; taking tasks" });
    isShort = lack !== undefined;
  };
};
