import { Type } from "../../core/schema.ts";
import { wholeText } from "../notice.ts";
import { cut } from "./cut.ts";
import { defineChannel } from "./channel.ts";
import { post } from "./post.ts";

/** Slack cuts messages that are longer by itself, in the middle of whatever stands there. */
const LONGEST = 40_000;

/** The three characters that mean something in Slack's own marks (api.slack.com/reference/surfaces/formatting). */
const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export const slack = defineChannel({
  schema: Type.Object(
    { webhookUrl: Type.String({ pattern: "^https?://" }) },
    { additionalProperties: false },
  ),
  send: async ({ webhookUrl }, message, ports) =>
    post(ports, webhookUrl, { body: JSON.stringify({ text: escape(cut(wholeText(message), LONGEST)) }) }),
});
