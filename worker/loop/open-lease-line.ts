import { createReadStream } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { LEASE_FD } from "../state/lease.ts";

/**
 * The supervisor's end of the line to its pool. Bun reads nothing from a socket that is made of a descriptor;
 * Node, reading it as a file, keeps a thread in `read`, which its exit then waits for.
 */
export const openLeaseLine = (): Readable =>
  process.versions["bun"]
    ? createReadStream("", { fd: LEASE_FD })
    : new Socket({ fd: LEASE_FD, readable: true, writable: false });
