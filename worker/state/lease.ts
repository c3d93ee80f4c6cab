import type { Readable } from "node:stream";

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
export const taskMark = (queueId: string, task: number): string => `task-${queueId}-${task}`;

/** The mark of one run of a task. */
export const runMark = (queueId: string, { task, token }: Pick<LeaseTag, "task" | "token">): string =>
  `${taskMark(queueId, task)}-${token}`;

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
/** Long enough for what the pool said meanwhile to be read, after a pause of this process. */
const SECOND_LOOK_MS = 100;

/** What a pool says: for how long, from now on, the work may go on. */
export const leaseLine = (leftMs: number): string => `${JSON.stringify({ leftMs: Math.round(leftMs) })}\n`;

/**
 * Watches the line to the pool. The lease is lost when the pool is gone (the line ends), or when it has not
 * said in time that the lease was renewed: by a clock that nobody sets and that goes on while the machine
 * sleeps (`running`), so that neither a frozen machine prolongs it nor a set clock ends it. What the pool said
 * while this process was held up is read before it is judged. `onLost` is called once.
 */
export const watchLease = (
  { running, line, firstMs }: { running: () => number; line: Readable; firstMs: number },
  onLost: (reason: string) => void,
): { close: () => void } => {
  let until = running() + firstMs;
  let second: ReturnType<typeof setTimeout> | undefined;
  let text = "";
  const isOver = () => running() >= until;
  const lose = (reason: string) => {
    close();
    onLost(reason);
  };
  const look = () => {
    if (isOver()) second ??= setTimeout(lookAgain, SECOND_LOOK_MS);
  };
  const lookAgain = () => {
    second = undefined;
    if (isOver()) lose(LEASE_LOST.expired);
  };
  const onData = (chunk: Buffer) => {
    text += chunk.toString("utf8");
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    const last = lines.at(-1);
    if (last !== undefined) until = running() + (JSON.parse(last) as { leftMs: number }).leftMs;
    look();
  };
  const onEnd = () => lose(LEASE_LOST.poolGone);
  const close = () => {
    clearInterval(timer);
    clearTimeout(second);
    line.off("data", onData).off("end", onEnd).off("error", onEnd);
    line.on("error", () => {});
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  line.on("data", onData).on("end", onEnd).on("error", onEnd);
  return { close };
};
