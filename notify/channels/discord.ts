import { Type } from "../../core/schema.ts";
import { wholeText } from "../notice.ts";
import { cut } from "./cut.ts";
import { defineChannel } from "./channel.ts";
import { post } from "./post.ts";

/** Most characters that `content` takes (discord.com/developers/docs/resources/webhook). */
const LONGEST = 2_000;

export const discord = defineChannel({
  schema: Type.Object(
    { webhookUrl: Type.String({ pattern: "^https?://" }) },
    { additionalProperties: false },
  ),
  send: async ({ webhookUrl }, message, ports) =>
    post(ports, webhookUrl, {
      // What an agent wrote must not call everybody in the room.
      body: JSON.stringify({ content: cut(wholeText(message), LONGEST), allowed_mentions: { parse: [] } }),
    }),
});
