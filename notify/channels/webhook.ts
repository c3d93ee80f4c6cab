import { createHmac } from "node:crypto";
import { Type } from "../../core/schema.ts";
import { defineChannel } from "./channel.ts";
import { post } from "./post.ts";

/** The signature of Standard Webhooks: HMAC-SHA256 over id, time and body (standardwebhooks.com). */
const signatureOf = (secret: string, id: string, seconds: number, body: string): string =>
  `v1,${createHmac("sha256", secret).update(`${id}.${seconds}.${body}`).digest("base64")}`;

export const webhook = defineChannel({
  schema: Type.Object(
    { url: Type.String({ pattern: "^https?://" }), secret: Type.Optional(Type.String({ minLength: 16 })) },
    { additionalProperties: false },
  ),
  send: async ({ url, secret }, message, ports) => {
    const { id, at, title, text, notices } = message;
    const seconds = Math.floor(ports.now() / 1_000);
    const more = message.url === undefined ? {} : { url: message.url };
    const body = JSON.stringify({ id, at, title, text, ...more, notices });
    await post(ports, url, {
      body,
      headers: {
        "webhook-id": id,
        "webhook-timestamp": String(seconds),
        ...(secret === undefined ? {} : { "webhook-signature": signatureOf(secret, id, seconds, body) }),
      },
    });
  },
});
