import type { Clock } from "../core/clock.ts";
import { errorText } from "../core/errors.ts";
import { type Channel, type ChannelPorts, SendFailure } from "./channels/channel.ts";
import { CHANNELS, type ChannelSettings } from "./channels/channels.ts";
import { type Message, type Notice, messageOf } from "./notice.ts";
import { type Waiting, keepLeft, listWaiting, noteUndelivered } from "./outbox.ts";
import { isHeld, quietUntil } from "./quiet-hours.ts";
import type { NotifySettings } from "./settings.ts";

/** Between two messages on one channel: what happens meanwhile goes out as one. */
const GAP_MS = 10_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
/** Nobody wants to hear of yesterday's night as of something new. */
const LONGEST_WAIT_MS = 24 * 3_600_000;
/** Notices may come at any time. */
const LOOK_AGAIN_MS = 2_000;

export type SenderPorts = Pick<ChannelPorts, "fetch" | "openPush"> & { clock: Clock };

/** Sends one message on a channel. @throws SendFailure */
export const sendMessage = async (
  { type, ...settings }: ChannelSettings,
  message: Message,
  ports: ChannelPorts,
): Promise<void> => (CHANNELS[type] as unknown as Channel).send(settings, message, ports);

/** The channels that a notice goes to, of those that there are. */
const channelsFor = (notice: Notice, { channels, on }: NotifySettings): string[] =>
  on && !on.includes(notice.happening)
    ? []
    : Object.keys(channels).filter((name) => notice.channels?.includes(name) ?? true);

type Pace = { notBeforeMs: number; pauseMs: number };

/**
 * Sends what waits in an outbox until nothing does: each notice once on each of its channels, in order, again after a
 * failure that may pass, held while quiet hours last, and as one message where several wait. A sender that is killed
 * between a provider's answer and its own note of it sends that message a second time.
 */
export const sendNotices = async (
  { clock, fetch, openPush }: SenderPorts,
  folder: string,
  settings: NotifySettings,
): Promise<void> => {
  const paces = new Map<string, Pace>();
  const ports = { fetch, now: clock.now, openPush };

  const addressed = (): (Waiting & { left: readonly string[] })[] =>
    listWaiting(folder).flatMap((waiting) => {
      const left = (waiting.left ?? channelsFor(waiting.notice, settings)).filter((name) =>
        Object.hasOwn(settings.channels, name),
      );
      if (waiting.left?.length !== left.length) keepLeft(waiting, left);
      return left.length === 0 ? [] : [{ ...waiting, left }];
    });

  const done = (mine: readonly (Waiting & { left: readonly string[] })[], name: string) => {
    for (const waiting of mine)
      keepLeft(
        waiting,
        waiting.left.filter((other) => other !== name),
      );
  };

  const giveUp = (channel: string, { title }: Pick<Message, "title">, problem: string) =>
    noteUndelivered(folder, { at: new Date(clock.now()).toISOString(), channel, title, problem });

  /** @returns when to look at this channel again; undefined when nothing waits for it */
  const serve = async (
    name: string,
    channel: ChannelSettings,
    all: readonly (Waiting & { left: readonly string[] })[],
  ): Promise<number | undefined> => {
    const now = clock.now();
    const wanted = all.filter(({ left }) => left.includes(name));
    const mine = wanted.filter(({ notice }) => !isHeld(settings.quietHours, notice.happening, now));
    const [first, ...others] = mine.map(({ notice }) => notice);
    if (!first) return wanted.length === 0 ? undefined : quietUntil(settings.quietHours, now);
    const pace = paces.get(name) ?? { notBeforeMs: 0, pauseMs: 0 };
    if (now < pace.notBeforeMs) return pace.notBeforeMs;
    const message = messageOf([first, ...others]);
    try {
      await sendMessage(channel, message, ports);
      done(mine, name);
      paces.set(name, { notBeforeMs: clock.now() + GAP_MS, pauseMs: 0 });
    } catch (error) {
      const { isFinal = false, retryAfterMs = 0 } = error instanceof SendFailure ? error : { isFinal: true };
      const isOld = now - Date.parse(first.at) > LONGEST_WAIT_MS;
      if (isFinal || isOld) {
        giveUp(name, message, errorText(error));
        done(mine, name);
      }
      const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pace.pauseMs, retryAfterMs));
      paces.set(name, { notBeforeMs: clock.now() + pauseMs, pauseMs });
    }
    return paces.get(name)?.notBeforeMs;
  };

  for (;;) {
    const all = addressed();
    if (all.length === 0) return;
    const times = await Promise.all(
      Object.entries(settings.channels).map(([name, channel]) => serve(name, channel, all)),
    );
    if (listWaiting(folder).length === 0) return;
    const nextMs = Math.min(...times.filter((time) => time !== undefined));
    await clock.sleep(Math.min(LOOK_AGAIN_MS, Math.max(1, nextMs - clock.now())));
  }
};
