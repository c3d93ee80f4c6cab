import { createHmac } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Provider, startProvider } from "../fixtures/provider.ts";
import { type Message, messageOf } from "../notice.ts";
import { sendMessage } from "../send-notices.ts";
import { SendFailure } from "./channel.ts";

const NOW = Date.UTC(2026, 10, 23, 6, 0, 0);
const noPush = () => Promise.reject(new Error("no web push here"));
const ports = { fetch, now: () => NOW, openPush: noPush };

const message: Message = messageOf([
  {
    id: "2f1c6a4e",
    at: new Date(NOW).toISOString(),
    happening: "failed",
    title: "docs: failed",
    text: "<b>the gates</b> & @everyone",
    url: "https://night.example/app/runs/1",
  },
]);

let provider: Provider;
beforeEach(async () => {
  provider = await startProvider();
});
afterEach(() => provider.stop());

describe("a channel sends what its provider documents", () => {
  test("webhook: signed as Standard Webhooks, over exactly the bytes that are sent", async () => {
    const secret = "a secret of some length";
    await sendMessage({ type: "webhook", url: `${provider.url}/hook`, secret }, message, ports);
    const [{ headers, text, body, path } = { headers: {}, text: "", body: {}, path: "" }] = provider.received;
    expect(path).toBe("/hook");
    expect(headers).toMatchObject({ "webhook-id": "2f1c6a4e", "webhook-timestamp": String(NOW / 1000) });
    const expected = createHmac("sha256", secret)
      .update(`2f1c6a4e.${NOW / 1000}.${text}`)
      .digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${expected}`);
    expect(body).toMatchObject({ title: "docs: failed", notices: [{ happening: "failed" }] });
  });

  test("ntfy: JSON at the server's root, with the topic in it", async () => {
    await sendMessage(
      { type: "ntfy", topic: "my-night", server: provider.url, token: "tk_1" },
      message,
      ports,
    );
    expect(provider.received[0]).toMatchObject({
      path: "/",
      headers: { authorization: "Bearer tk_1" },
      body: {
        topic: "my-night",
        title: "docs: failed",
        message: "<b>the gates</b> & @everyone",
        priority: 4,
        click: "https://night.example/app/runs/1",
      },
    });
  });

  test("slack: its three marks are escaped", async () => {
    await sendMessage({ type: "slack", webhookUrl: `${provider.url}/services/x` }, message, ports);
    expect(provider.received[0]?.body).toEqual({
      text: "docs: failed\n&lt;b&gt;the gates&lt;/b&gt; &amp; @everyone\nhttps://night.example/app/runs/1",
    });
  });

  test("discord: nobody is called by what an agent wrote, and 2,000 characters are the most", async () => {
    const long = { ...message, text: "x".repeat(5_000) };
    await sendMessage({ type: "discord", webhookUrl: `${provider.url}/api/webhooks/1/x` }, long, ports);
    const body = provider.received[0]?.body;
    expect(body).toMatchObject({ allowed_mentions: { parse: [] } });
    expect(String(body?.["content"])).toHaveLength(2_000);
  });

  test("telegram: the bot's token is in the path, the text has no marks", async () => {
    const settings = { type: "telegram", botToken: "12:ab_C-d", chatId: 77, server: provider.url } as const;
    await sendMessage(settings, message, ports);
    expect(provider.received[0]).toMatchObject({
      path: "/bot12:ab_C-d/sendMessage",
      body: { chat_id: 77, disable_notification: false },
    });
    expect(provider.received[0]?.body).not.toHaveProperty("parse_mode");
  });

  test("desktop: the title and the text are arguments, never code", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nightshift-desktop-"));
    const before = process.env["PATH"];
    try {
      for (const name of ["notify-send", "osascript"]) {
        writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/arguments\n`);
        chmodSync(join(folder, name), 0o755);
      }
      process.env["PATH"] = `${folder}${delimiter}${before}`;
      await sendMessage({ type: "desktop" }, message, ports);
      expect(readFileSync(join(folder, "arguments"), "utf8")).toContain("docs: failed\n");
    } finally {
      process.env["PATH"] = before;
      rmSync(folder, { recursive: true });
    }
  });
});

test("email: over SMTP, with the login, to everybody named; a refused recipient is final", async () => {
  const mails: { from: string; to: string[]; text: string; user: unknown }[] = [];
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _, done) =>
      done(password === "right" ? null : new Error("no"), { user: username }),
    onRcptTo: ({ address }, _, done) =>
      done(address.startsWith("nobody@") ? Object.assign(new Error("unknown"), { responseCode: 550 }) : null),
    onData: (stream, session, done) => {
      let text = "";
      stream.on("data", (part: Buffer) => (text += part.toString()));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text,
          user: session.user,
        });
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  const settings = {
    type: "email",
    host: "127.0.0.1",
    port,
    plain: true,
    user: "me",
    password: "right",
    from: "Nightshift <night@example.com>",
    to: ["a@example.com", "b@example.com"],
  } as const;
  try {
    await sendMessage({ ...settings, to: [...settings.to] }, message, ports);
    expect(mails).toMatchObject([
      { from: "night@example.com", to: ["a@example.com", "b@example.com"], user: "me" },
    ]);
    expect(mails[0]?.text).toMatch(/^Subject: docs: failed\r$/m);
    const refused = sendMessage({ ...settings, to: "nobody@example.com" }, message, ports);
    await expect(refused).rejects.toMatchObject({ isFinal: true });
    // A server without TLS gets no password, unless the user said that it may.
    const safe = sendMessage({ ...settings, plain: false, to: "a@example.com" }, message, ports);
    await expect(safe).rejects.toBeInstanceOf(SendFailure);
    expect(mails).toHaveLength(1);
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});

test.each([
  { status: 400, isFinal: true },
  { status: 404, isFinal: true },
  { status: 429, isFinal: false },
  { status: 503, isFinal: false },
])(
  "an answer of $status is final: $isFinal; the secret address is not in its words",
  async ({ status, isFinal }) => {
    provider.answers.push({ status, headers: { "retry-after": "7" } });
    const sent = sendMessage(
      { type: "slack", webhookUrl: `${provider.url}/services/secret` },
      message,
      ports,
    );
    const failure = await sent.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ isFinal, retryAfterMs: 7_000 });
    expect(String(failure)).not.toContain("secret");
  },
);

test("no redirect is followed: what was meant for one host goes to no other", async () => {
  const other = await startProvider();
  provider.answers.push({ status: 307, headers: { location: other.url } });
  await expect(sendMessage({ type: "webhook", url: provider.url }, message, ports)).rejects.toBeInstanceOf(
    SendFailure,
  );
  expect(other.received).toEqual([]);
  await other.stop();
});
