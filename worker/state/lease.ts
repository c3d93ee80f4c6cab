import type { Readable } from "node:stream";
import { createReadStream } from "node:fs";
import { Socket } from "node:net";

/** The task of the queue that a worker works on, and the lease under which it does. */
export type LeaseTag = {
  task: number;
  /** grows with every run of the task; what carries an older one is refused */
  token: number;
  host: string;
  pool: string;
  /** environment mark of every process of this run, the supervisor's own included */
  mark: string;
};

/** The mark of everything that any run of a task has on this machine. */
export const jobMark = (queueId: string, task: number): string => `task-${queueId}-${task}`;

/** The mark of one run of a task. */
export const runMark = (queueId: string, { task, token }: Pick<LeaseTag, "task" | "token">): string =>
  `${jobMark(queueId, task)}-${token}`;

/** Both marks, nested, as the supervisor of a run gets them. */
export const leaseMarks = ({ mark, token }: Pick<LeaseTag, "mark" | "token">): string =>
  `${mark.slice(0, -`-${token}`.length)}:${mark}`;

/** The file descriptor on which a pool tells its supervisor how long the lease still holds. */
export const LEASE_FD = 4;

/** Why a worker ended that nobody asked to: its task goes back to the queue. */
export const LEASE_LOST = {
  expired: "its lease ran out: the pool could not renew it in time",
  poolGone: "its pool is gone",
} as const;

const LOOK_EVERY_MS = 500;
/** What came while this process was busy is read within this time, before anything ends for the lack of it. */
const READ_FIRST_MS = 100;

/** What a pool says: until when the work may go on, by the uptime of the machine. */
export const leaseLine = (until: number): string => `${JSON.stringify({ until: Math.round(until) })}\n`;

/**
 * Watches the line to the pool. The lease is lost when the pool is gone (the line ends), or when it has not
 * said in time that the lease was renewed. Both ends go by the uptime of the machine: it goes on while the
 * machine sleeps, nobody sets it, and a line that was read late prolongs nothing. `onLost` is called once,
 * `onRenewed` with each line.
 */
export const watchLease = (
  { uptimeMs, line, until: first }: { uptimeMs: () => number; line: Readable; until: number },
  { onLost, onRenewed }: { onLost: (reason: string) => void; onRenewed: () => void },
): { close: () => void } => {
  let until = first;
  let text = "";
  let last: ReturnType<typeof setTimeout> | undefined;
  const isOver = () => !(uptimeMs() < until);
  const lose = (reason: string) => {
    close();
    onLost(reason);
  };
  // A timer that is late because the process was busy runs before what came meanwhile is read.
  const look = () => {
    if (!isOver()) return;
    last ??= setTimeout(() => {
      last = undefined;
      if (isOver()) lose(LEASE_LOST.expired);
    }, READ_FIRST_MS);
  };
  const onData = (chunk: Buffer) => {
    text += chunk.toString("utf8");
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    const newest = lines.at(-1);
    if (newest === undefined) return;
    until = (JSON.parse(newest) as { until: number }).until;
    onRenewed();
  };
  const onEnd = () => lose(LEASE_LOST.poolGone);
  const close = () => {
    clearInterval(timer);
    clearTimeout(last);
    line.off("data", onData).off("end", onEnd).off("error", onEnd);
    line.on("error", () => {});
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  line.on("data", onData).on("end", onEnd).on("error", onEnd);
  return { close };
};

/**
 * The supervisor's end of the line to its pool. Bun reads nothing from a socket that is made of a descriptor;
 * Node, reading it as a file, keeps a thread in `read`, which its exit then waits for.
 */
export const openLeaseLine = (): Readable =>
  process.versions["bun"]
    ? createReadStream("", { fd: LEASE_FD })
    : new Socket({ fd: LEASE_FD, readable: true, writable: false });
