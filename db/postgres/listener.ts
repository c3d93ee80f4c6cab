import { type Connection, type ConnectionOptions, openConnection } from "./connection.ts";
import type { Listening, Subscription } from "./postgres.ts";

export type Listener = {
  listen: (channel: string, subscription: Subscription) => Promise<Listening>;
  close: () => void;
};

type State = {
  connection: Connection | undefined;
  /** resolves when the present attempt to connect has ended, however it did */
  connecting: Promise<void> | undefined;
  isClosed: boolean;
};

const PULSE_MS = 15_000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5000;

/**
 * One session for the messages of all channels, opened with the first. When it is lost it is opened again,
 * and everybody is told that messages may have been missed. A pulse notices a line that died silently.
 */
export const createListener = (options: ConnectionOptions): Listener => {
  const channels = new Map<string, Set<Subscription>>();
  const state: State = { connection: undefined, connecting: undefined, isClosed: false };
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const everyone = (): Subscription[] => [...channels.values()].flatMap((subscribed) => [...subscribed]);

  const onNotification = (channel: string, payload: string): void => {
    for (const { onMessage } of channels.get(channel) ?? []) onMessage(payload);
  };

  const connect = async (): Promise<void> => {
    const connection = openConnection({ ...options, onNotification });
    try {
      for (const channel of channels.keys()) await connection.exec(listenTo(channel));
    } catch (error) {
      connection.close();
      throw error;
    }
    if (state.isClosed) {
      connection.close();
      return;
    }
    failures = 0;
    state.connection = connection;
    const stopPulse = keepPulse(connection);
    void connection.lost.then(() => {
      stopPulse();
      state.connection = undefined;
      for (const { onGap } of everyone()) onGap();
      again();
    });
    for (const { onGap } of everyone()) onGap();
  };

  const start = (): Promise<void> =>
    (state.connecting ??= connect().finally(() => {
      state.connecting = undefined;
    }));

  const again = (): void => {
    if (state.isClosed || channels.size === 0) return;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** failures++, MAX_RETRY_MS);
    clearTimeout(retry);
    retry = setTimeout(() => {
      start().catch(again);
    }, delayMs);
    retry.unref?.();
  };

  return {
    listen: async (channel, subscription) => {
      const subscribed = channels.get(channel) ?? new Set();
      const isNew = subscribed.size === 0;
      channels.set(channel, subscribed.add(subscription));
      try {
        if (state.connecting) await state.connecting;
        if (!state.connection) await start();
        else if (isNew) await state.connection.exec(listenTo(channel));
      } catch (error) {
        subscribed.delete(subscription);
        throw error;
      }
      return {
        isListening: () => state.connection?.isUsable() ?? false,
        stop: async () => {
          subscribed.delete(subscription);
          if (subscribed.size > 0) return;
          channels.delete(channel);
          await state.connection?.exec(`UNLISTEN "${channel}"`).catch(() => {});
        },
      };
    },
    close: () => {
      state.isClosed = true;
      clearTimeout(retry);
      channels.clear();
      state.connection?.close();
    },
  };
};

const listenTo = (channel: string): string => `LISTEN "${channel.replaceAll('"', '""')}"`;

const keepPulse = (connection: Connection): (() => void) => {
  const timer = setInterval(() => {
    connection.exec("SELECT 1").catch(() => connection.close());
  }, PULSE_MS);
  timer.unref?.();
  return () => clearInterval(timer);
};
