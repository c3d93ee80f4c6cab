import { createECDH } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDevice, readVapid, startPushService } from "../fixtures/push-service.ts";
import { messageOf } from "../notice.ts";
import { sendMessage } from "../send-notices.ts";
import type { Device } from "./channel.ts";

let service: Awaited<ReturnType<typeof startPushService>>;
beforeEach(async () => {
  service = await startPushService();
});
afterEach(() => service.stop());

const pair = createECDH("prime256v1");
const publicKey = pair.generateKeys("base64url");
const privateKey = pair.getPrivateKey("base64url");
let forgotten: string[] = [];
const portsFor = (devices: readonly Device[]) => ({
  fetch,
  now: Date.now,
  openPush: () =>
    Promise.resolve({
      publicKey,
      privateKey,
      devices,
      forget: (endpoints: readonly string[]) => {
        forgotten = [...endpoints];
        return Promise.resolve();
      },
    }),
});
const message = (text = "the gates are red") =>
  messageOf([
    {
      id: "2f1c6a4e",
      at: new Date().toISOString(),
      happening: "failed",
      title: "docs: failed",
      text,
      url: "https://night.example/app/night/run-1",
    },
  ]);

test("only the device can read what is sent, and the push service knows who sends", async () => {
  const { device, open } = makeDevice(`${service.origin}/push/phone`);
  await sendMessage({ type: "webpush" }, message(), portsFor([device]));
  const [got] = service.received;
  expect(got?.headers).toMatchObject({
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
    ttl: "86400",
    urgency: "high",
  });
  expect(got?.body.toString("latin1")).not.toContain("docs");
  expect(open(got?.body ?? Buffer.alloc(0))).toEqual({
    id: "2f1c6a4e",
    title: "docs: failed",
    text: "the gates are red",
    url: "https://night.example/app/night/run-1",
  });
  const { key, claims } = readVapid(got?.headers["authorization"]);
  expect(key).toBe(publicKey);
  expect(claims["aud"]).toBe(service.origin);
  expect(Number(claims["exp"])).toBeLessThanOrEqual(Date.now() / 1000 + 24 * 3600);
});

test("a long text is cut to what one record takes", async () => {
  const { device, open } = makeDevice(`${service.origin}/push/phone`);
  await sendMessage({ type: "webpush" }, message("ä".repeat(20_000)), portsFor([device]));
  const body = service.received[0]?.body ?? Buffer.alloc(0);
  expect(body.length).toBeLessThanOrEqual(4096);
  expect(open(body)).toMatchObject({ title: "docs: failed" });
});

test("a device that is no more is forgotten, and the others are told", async () => {
  const old = makeDevice(`${service.origin}/push/old`).device;
  const { device, open } = makeDevice(`${service.origin}/push/new`);
  service.answers.set("/push/old", 410);
  await sendMessage({ type: "webpush" }, message(), portsFor([old, device]));
  expect(forgotten).toEqual([old.endpoint]);
  const pushed = service.received.find(({ path }) => path === "/push/new");
  expect(open(pushed?.body ?? Buffer.alloc(0))).toMatchObject({ id: "2f1c6a4e" });
});

test("a push service that is down is asked again; no device at all is a failure that stays", async () => {
  const { device } = makeDevice(`${service.origin}/push/phone`);
  service.answers.set("/push/phone", 503);
  await expect(sendMessage({ type: "webpush" }, message(), portsFor([device]))).rejects.toMatchObject({
    isFinal: false,
    status: 503,
  });
  await expect(sendMessage({ type: "webpush" }, message(), portsFor([]))).rejects.toMatchObject({
    isFinal: true,
  });
});
