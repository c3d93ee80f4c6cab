import { errorText } from "../../core/errors.ts";
import { Type } from "../../core/schema.ts";
import { SendFailure, defineChannel } from "./channel.ts";

const TIMEOUT_MS = 15_000;
/** From here on a mail server's answer stands (RFC 5321, 4.2.1). */
const FIRST_FINAL = 500;

const Address = Type.String({ pattern: "^[^\\s@]+@[^\\s@]+$|^.+<[^\\s@]+@[^\\s@]+>$" });

export const email = defineChannel({
  schema: Type.Object(
    {
      host: Type.String({ minLength: 1 }),
      port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
      /** TLS from the first byte (port 465); else STARTTLS is demanded unless `plain` says that it may do without */
      secure: Type.Optional(Type.Boolean()),
      plain: Type.Optional(Type.Boolean()),
      user: Type.Optional(Type.String({ minLength: 1 })),
      password: Type.Optional(Type.String({ minLength: 1 })),
      from: Address,
      to: Type.Union([Address, Type.Array(Address, { minItems: 1 })]),
    },
    { additionalProperties: false },
  ),
  send: async ({ host, port, secure = false, plain = false, user, password, from, to }, message) => {
    const { createTransport } = await import("nodemailer"); // only who sends mail pays for it
    const transport = createTransport({
      host,
      port: port ?? (secure ? 465 : 587),
      secure,
      requireTLS: !secure && !plain,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      ...(user === undefined ? {} : { auth: { user, pass: password ?? "" } }),
    });
    try {
      await transport.sendMail({
        from,
        to: [to].flat(),
        subject: message.title,
        text: [message.text, message.url ?? ""].filter((part) => part !== "").join("\n\n"),
        messageId: `<${message.id.replaceAll("+", ".")}@nightshift>`,
        headers: { "Auto-Submitted": "auto-generated" },
      });
    } catch (error) {
      const code = (error as { responseCode?: number }).responseCode;
      throw new SendFailure(`${host}: ${errorText(error)}`, {
        isFinal: code !== undefined && code >= FIRST_FINAL,
      });
    } finally {
      transport.close();
    }
  },
});
