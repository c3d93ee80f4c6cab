import { Type } from "../../core/schema.ts";
import { wholeText } from "../notice.ts";
import { cut } from "./cut.ts";
import { defineChannel } from "./channel.ts";
import { post } from "./post.ts";

/** Most characters of a message (core.telegram.org/bots/api#sendmessage). */
const LONGEST = 4_096;

export const telegram = defineChannel({
  schema: Type.Object(
    {
      botToken: Type.String({ pattern: "^[0-9]+:[-_A-Za-z0-9]+$" }),
      chatId: Type.Union([Type.String({ minLength: 1 }), Type.Integer()]),
      server: Type.Optional(Type.String({ pattern: "^https?://", default: "https://api.telegram.org" })),
    },
    { additionalProperties: false },
  ),
  send: async ({ botToken, chatId, server = "https://api.telegram.org" }, message, ports) =>
    post(ports, `${server}/bot${botToken}/sendMessage`, {
      body: JSON.stringify({
        chat_id: chatId,
        text: cut(wholeText(message), LONGEST),
        disable_notification: !message.isUrgent,
        link_preview_options: { is_disabled: true },
      }),
    }),
});
