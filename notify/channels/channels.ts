import type { Static } from "../../core/schema.ts";
import { desktop } from "./desktop.ts";
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import { ntfy } from "./ntfy.ts";
import { slack } from "./slack.ts";
import { telegram } from "./telegram.ts";
import { webhook } from "./webhook.ts";
import { webpush } from "./webpush.ts";

/** Every kind of channel by the name that a user's file gives it. A further one is a file beside these and a line here. */
export const CHANNELS = { webhook, ntfy, slack, discord, telegram, email, desktop, webpush } as const;

export type ChannelType = keyof typeof CHANNELS;

/** A channel as the user's file declares it. */
export type ChannelSettings = {
  [T in ChannelType]: { type: T } & Static<(typeof CHANNELS)[T]["schema"]>;
}[ChannelType];
