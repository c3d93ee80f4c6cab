import { Type } from "../../core/schema.ts";
import { wholeText } from "../notice.ts";
import { cutBytes } from "./cut.ts";
import { defineChannel } from "./channel.ts";
import { post } from "./post.ts";

/** ntfy makes a file of a longer message. */
const LONGEST_BYTES = 4_000;
const HIGH = 4;
const NORMAL = 3;

/** Published as JSON to the server's root, because a header holds no Unicode (docs.ntfy.sh/publish). */
export const ntfy = defineChannel({
  schema: Type.Object(
    {
      topic: Type.String({ pattern: "^[-_A-Za-z0-9]{1,64}$" }),
      server: Type.Optional(Type.String({ pattern: "^https?://", default: "https://ntfy.sh" })),
      token: Type.Optional(Type.String({ minLength: 1 })),
    },
    { additionalProperties: false },
  ),
  send: async ({ topic, server = "https://ntfy.sh", token }, message, ports) =>
    post(ports, server, {
      body: JSON.stringify({
        topic,
        title: message.title,
        message: cutBytes(message.text || wholeText(message), LONGEST_BYTES),
        priority: message.isUrgent ? HIGH : NORMAL,
        ...(message.url === undefined ? {} : { click: message.url }),
      }),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    }),
});
