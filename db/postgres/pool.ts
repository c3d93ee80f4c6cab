import { AppError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";

export type PoolOptions = {
  size: number;
  /** how many may wait for a connection at once, and how long each */
  maxWaiting: number;
  waitMs: number;
  /** an idle connection is closed after this, and one of this age when it is given back */
  idleMs: number;
  maxAgeMs: number;
};

/** A bounded number of sessions, each used by one at a time. */
export type Pool = {
  use: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Refuses new work, waits for what runs, closes every session. */
  close: () => Promise<void>;
};

type Member = { connection: Connection; openedAt: number; idleTimer?: ReturnType<typeof setTimeout> };
type Waiter = { resolve: (member: Member) => void; reject: (error: AppError) => void };

export const createPool = (
  { open, now, target }: { open: () => Connection; now: () => number; target: string },
  { size, maxWaiting, waitMs, idleMs, maxAgeMs }: PoolOptions,
): Pool => {
  const idle: Member[] = [];
  const waiting = new Set<Waiter>();
  let used = 0;
  let isClosed = false;
  let onDrained = (): void => {};

  const create = (): Member => {
    used++;
    return { connection: open(), openedAt: now() };
  };

  const takeIdle = (): Member | undefined => {
    for (let member = idle.pop(); member; member = idle.pop()) {
      clearTimeout(member.idleTimer);
      if (!member.connection.isUsable()) continue;
      used++;
      return member;
    }
    return undefined;
  };

  const busy = (why: string) => {
    const say = (database: string): string =>
      `All ${size} connections to ${database} are in use${why}; try again`;
    return new AppError("unavailable", say(`the database ${target}`), {
      publicMessage: say("the database"),
      details: { retryAfterSeconds: 1 },
    });
  };

  const wait = (): Promise<Member> =>
    new Promise((resolve, reject) => {
      if (waiting.size >= maxWaiting) {
        reject(busy(` and ${maxWaiting} requests wait for one`));
        return;
      }
      const timer = setTimeout(
        () => waiter.reject(busy(` and none was free for ${waitMs / 1000} s`)),
        waitMs,
      );
      const settle = () => {
        clearTimeout(timer);
        waiting.delete(waiter);
      };
      const waiter: Waiter = {
        resolve: (member) => {
          settle();
          resolve(member);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      waiting.add(waiter);
    });

  const release = (member: Member): void => {
    used--;
    if (now() - member.openedAt > maxAgeMs) member.connection.close();
    const [next] = waiting;
    if (next) {
      if (!member.connection.isUsable()) return next.resolve(create());
      used++;
      return next.resolve(member);
    }
    if (isClosed) {
      member.connection.close();
      if (used === 0) onDrained();
    } else if (member.connection.isUsable()) {
      member.idleTimer = setTimeout(() => retire(member), idleMs);
      member.idleTimer.unref?.();
      idle.push(member);
    }
  };

  const retire = (member: Member): void => {
    const at = idle.indexOf(member);
    if (at === -1) return;
    idle.splice(at, 1);
    member.connection.close();
  };

  return {
    use: async (work) => {
      if (isClosed) throw new AppError("interrupted", "The server is stopping");
      const member = takeIdle() ?? (used < size ? create() : await wait());
      try {
        return await work(member.connection);
      } finally {
        release(member);
      }
    },
    close: async () => {
      isClosed = true;
      if (used > 0) await new Promise<void>((resolve) => (onDrained = resolve));
      for (const member of idle.splice(0)) {
        clearTimeout(member.idleTimer);
        member.connection.close();
      }
    },
  };
};
