import { randomUUID } from "node:crypto";
import { AppError, errorText } from "../../../core/errors.ts";
import { type Environment, nightshiftHome } from "../../../core/paths.ts";
import { plural } from "../../../core/plural.ts";
import { messageOf } from "../../../notify/notice.ts";
import { notifyFile } from "../../../notify/notify-file.ts";
import { listUndelivered, listWaiting, outboxFolder } from "../../../notify/outbox.ts";
import { sendMessage } from "../../../notify/send-notices.ts";
import { type NotifySettings, readNotifySettings } from "../../../notify/settings.ts";
import { startSender } from "../../../notify/start-sender.ts";
import { openPush } from "../../command/open-push.ts";
import { docsPage } from "../../../core/version.ts";
import { defineCommand } from "../../command/define-command.ts";
import { timeText } from "../../../core/people-time.ts";

const settingsOf = (env: Environment): NotifySettings => {
  const home = nightshiftHome(env);
  const settings = readNotifySettings(home);
  if (settings) return settings;
  throw new AppError("config", `there is no ${notifyFile(home)}; ${docsPage("notifications.md")} shows one`);
};

const testMessage = (now: number) =>
  messageOf([
    {
      id: randomUUID(),
      at: new Date(now).toISOString(),
      happening: "complete",
      title: "Nightshift: a test",
      text: "If you can read this, your workers can reach you here.",
    },
  ]);

export const notifyTest = defineCommand({
  description: "Sends at once, even in quiet hours. Exit 1 when a channel did not take it.",
  args: [{ name: "channels", description: "which of them (all)", isOptional: true, isVariadic: true }],
  examples: ["nightshift notify test", "nightshift notify test phone"],
  run: async ({ args }, { env, reporter }) => {
    const { channels } = settingsOf(env);
    const names = args.channels && args.channels.length > 0 ? args.channels : Object.keys(channels);
    const unknown = names.find((name) => !Object.hasOwn(channels, name));
    if (unknown !== undefined)
      throw new AppError(
        "usage",
        `there is no channel ${unknown}; there are: ${Object.keys(channels).join(", ") || "none"}`,
      );
    const ports = { fetch, now: Date.now, openPush: openPush({ home: nightshiftHome(env), env }) };
    const results = await Promise.all(
      names.map(async (channel) => {
        const settings = channels[channel];
        if (!settings) return { channel, sent: false };
        try {
          await sendMessage(settings, testMessage(Date.now()), ports);
          return { channel, type: settings.type, sent: true };
        } catch (error) {
          return { channel, type: settings.type, sent: false, problem: errorText(error) };
        }
      }),
    );
    const { green, red } = reporter.style;
    reporter.answer(
      { results },
      results.map(({ channel, sent, problem }) =>
        sent ? `${green("sent")} to ${channel}` : `${red("not sent")} to ${channel}: ${problem ?? ""}`,
      ),
    );
    return results.every(({ sent }) => sent);
  },
});

const UNDELIVERED_SHOWN = 20;

export const notifyList = defineCommand({
  description:
    "What waits for a channel (quiet hours, a provider that is down) is sent by a process of its own; this starts it again where a restart of the machine ended it.",
  examples: ["nightshift notify list", "nightshift notify list --json"],
  run: async (_, { env, reporter }) => {
    const settings = settingsOf(env);
    const home = nightshiftHome(env);
    const folder = outboxFolder(home);
    const waiting = listWaiting(folder).map(({ notice, left }) => ({
      at: notice.at,
      title: notice.title,
      channels: left ?? Object.keys(settings.channels),
    }));
    if (waiting.length > 0) startSender(home, env);
    const undelivered = listUndelivered(folder).slice(-UNDELIVERED_SHOWN);
    const channels = Object.entries(settings.channels).map(([name, { type }]) => ({ name, type }));
    reporter.answer({ channels, waiting, undelivered }, [
      `${plural(channels.length, "channel")}: ${channels.map(({ name, type }) => `${name} (${type})`).join(", ")}`,
      waiting.length === 0 ? "nothing waits to be sent" : `${plural(waiting.length, "notice")} waiting:`,
      ...waiting.map(({ at, title, channels: left }) => `  ${timeText(at)}  ${title} (${left.join(", ")})`),
      ...undelivered.map(
        ({ at, channel, title, problem }) =>
          `  ${timeText(at)}  ${reporter.style.red("not delivered")} to ${channel}: ${title}: ${problem}`,
      ),
    ]);
  },
});
