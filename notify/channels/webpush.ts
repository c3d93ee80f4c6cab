import { errorText } from "../../core/errors.ts";
import { Type } from "../../core/schema.ts";
import type { Message } from "../notice.ts";
import { cutBytes } from "./cut.ts";
import { type ChannelPorts, defineChannel, type Device, type PushAccess, SendFailure } from "./channel.ts";
import { post } from "./post.ts";

/** Encrypted it is one record of 4,096 bytes at most (RFC 8291, section 4). */
const LONGEST_BYTES = 3_000;
const TTL_SECONDS = 24 * 3_600;
/** Its subject says whom a push service may ask about us (RFC 8292, section 2.1). */
const SUBJECT = "https://www.npmjs.com/package/nightshift";

const payloadOf = ({ id, title, text, url }: Message): string =>
  JSON.stringify({ id, title: cutBytes(title, 300), text: cutBytes(text, LONGEST_BYTES - 1_200), url });

/** What is read by the push service goes into headers, all else is encrypted for the device alone (RFC 8291). */
const requestFor = async ({ publicKey, privateKey }: PushAccess, device: Device, message: Message) => {
  // Only who has such a channel loads what encrypts.
  const { default: webPush } = await import("web-push");
  return webPush.generateRequestDetails(
    { endpoint: device.endpoint, keys: { p256dh: device.p256dh, auth: device.auth } },
    payloadOf(message),
    {
      vapidDetails: { subject: SUBJECT, publicKey, privateKey },
      TTL: TTL_SECONDS,
      urgency: message.isUrgent ? "high" : "normal",
    },
  );
};

const sendTo = async (access: PushAccess, device: Device, message: Message, ports: ChannelPorts) => {
  const { endpoint, headers, body } = await requestFor(access, device, message);
  const { "Content-Length": _length, ...rest } = headers as Record<string, string>;
  await post(ports, endpoint, { body: new Uint8Array(body), headers: rest });
};

const GONE = [404, 410];

/** Every device that asked for it on the Night page; one that its push service knows no more is forgotten. */
export const webpush = defineChannel({
  schema: Type.Object(
    {
      server: Type.Optional(
        Type.String({
          pattern: "^https?://",
          description: "The Nightshift server; else NIGHTSHIFT_URL, or here",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  send: async ({ server }, message, ports) => {
    const access = await ports.openPush(server);
    if (access.devices.length === 0)
      throw new SendFailure('no device asks for it: open /app on one and choose "Notify this device"', {
        isFinal: true,
      });
    const results = await Promise.all(
      access.devices.map((device) =>
        sendTo(access, device, message, ports).then(
          () => ({ device, failure: undefined }),
          (error: unknown) => ({
            device,
            failure: error instanceof SendFailure ? error : new SendFailure(errorText(error)),
          }),
        ),
      ),
    );
    const gone = results.filter(({ failure }) => GONE.includes(failure?.status ?? 0));
    if (gone.length > 0) await access.forget(gone.map(({ device }) => device.endpoint));
    // One that took it is told once: what is sent again takes the place of what it shows (its tag is the notice's id).
    const failed = results.flatMap(({ failure }) => failure ?? []);
    const [passing] = failed.filter(({ isFinal }) => !isFinal);
    const [first] = failed;
    if (passing) throw passing;
    if (first && failed.length === results.length) throw first;
  },
});
