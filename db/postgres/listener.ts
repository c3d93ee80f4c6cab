import pg from "pg";
import { coded } from "./failure.ts";
import type { Listening, Subscription } from "./postgres.ts";

export type Listener = {
  listen: (channel: string, subscription: Subscription) => Promise<Listening>;
  close: () => void;
};

type State = {
  client: pg.Client | undefined;
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
export const createListener = (options: pg.ClientConfig): Listener => {
  const channels = new Map<string, Set<Subscription>>();
  const state: State = { client: undefined, connecting: undefined, isClosed: false };
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const everyone = (): Subscription[] => [...channels.values()].flatMap((subscribed) => [...subscribed]);

  const connect = async (): Promise<void> => {
    const client = new pg.Client(options);
    // What ends a session is told by "end".
    client.on("error", () => {});
    client.on("notification", ({ channel, payload = "" }) => {
      for (const { onMessage } of channels.get(channel) ?? []) onMessage(payload);
    });
    try {
      await client.connect();
      for (const channel of channels.keys()) await client.query(listenTo(channel));
    } catch (error) {
      void client.end();
      throw coded(error);
    }
    if (state.isClosed) return client.end();
    failures = 0;
    state.client = client;
    const stopPulse = keepPulse(client);
    client.once("end", () => {
      stopPulse();
      state.client = undefined;
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
        if (!state.client) await start();
        else if (isNew) await state.client.query(listenTo(channel));
      } catch (error) {
        subscribed.delete(subscription);
        throw error;
      }
      return {
        isListening: () => state.client !== undefined,
        stop: async () => {
          subscribed.delete(subscription);
          if (subscribed.size > 0) return;
          channels.delete(channel);
          await state.client?.query(`UNLISTEN "${channel}"`).catch(() => {});
        },
      };
    },
    close: () => {
      state.isClosed = true;
      clearTimeout(retry);
      channels.clear();
      void state.client?.end();
    },
  };
};

const listenTo = (channel: string): string => `LISTEN "${channel.replaceAll('"', '""')}"`;

/** A statement that is never answered ends the session. */
const keepPulse = (client: pg.Client): (() => void) => {
  const timer = setInterval(() => void client.query("SELECT 1").catch(() => {}), PULSE_MS);
  timer.unref?.();
  return () => clearInterval(timer);
};
