// @module-tag long

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { makeDevice } from "../../notify/fixtures/push-service.ts";
import { findViolations } from "../../test/accessibility.ts";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";
import { signIn } from "./fixtures/app-visit.ts";

/** A push service's part in the browser: a test's Chromium has none to ask. */
const usePushService = (page: Page, device: { endpoint: string; p256dh: string; auth: string }) =>
  page.addInitScript(({ endpoint, p256dh, auth }) => {
    const subscription = {
      endpoint,
      toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
      unsubscribe: () => {
        localStorage.removeItem("subscribed");
        return Promise.resolve(true);
      },
    };
    PushManager.prototype.getSubscription = () =>
      Promise.resolve(
        localStorage.getItem("subscribed") ? (subscription as unknown as PushSubscription) : null,
      );
    PushManager.prototype.subscribe = (options) => {
      localStorage.setItem("subscribed", options?.applicationServerKey as string);
      return Promise.resolve(subscription as unknown as PushSubscription);
    };
  }, device);

describe.skipIf(!hasChromium)("notifications of the page, in Chromium", () => {
  let server: TestServer;
  let browser: TestBrowser;
  let page: Page;
  const origin = () => `http://localhost:${server.port}`;
  const api = async (method: string, path: string, body?: object) =>
    (await (
      await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method,
        headers: { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    ).json()) as { publicKey: string; devices: { endpoint: string }[] };
  beforeEach(async () => {
    server = await startTestServer("node");
    browser = await openChromium();
    await browser.context.grantPermissions(["notifications"], { origin: origin() });
    page = await browser.context.newPage();
  });
  afterEach(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("a press of the button asks for them, another one ends them", async () => {
    const { device } = makeDevice("https://push.example/phone");
    await usePushService(page, device);
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await signIn(page, { port: server.port, token: server.adminToken });
    await page.goto(`${origin()}/app`);
    await page.getByRole("button", { name: "Notify this device" }).click();
    await page.getByRole("button", { name: "Stop notifying this device" }).waitFor();
    await page.getByText("Nothing sends notifications yet").waitFor();
    const { publicKey, devices } = await api("POST", "/api/push/send", { gone: [] });
    expect(devices).toEqual([device]);
    expect(await page.evaluate(() => localStorage.getItem("subscribed"))).toBe(publicKey);
    await page.reload();
    await page.getByText("Your machines last checked for devices").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Stop notifying this device" }).click();
    await page.getByRole("button", { name: "Notify this device" }).waitFor();
    expect((await api("POST", "/api/push/send", { gone: [] })).devices).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("what is pushed is shown, once, while no page of it is open", async () => {
    await usePushService(page, makeDevice("https://push.example/phone").device);
    await signIn(page, { port: server.port, token: server.adminToken });
    await page.goto(`${origin()}/app`);
    const devtools = await browser.context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        for (const { registrationId } of registrations) resolve(registrationId);
      });
    });
    await devtools.send("ServiceWorker.enable");
    await page.getByRole("button", { name: "Notify this device" }).click();
    const registrationId = await registered;
    await page.getByRole("button", { name: "Stop notifying this device" }).waitFor();
    // `ready` is there while the worker still activates, when nothing can be delivered to it.
    const workerState = () => page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state);
    await expect.poll(workerState).toBe("activated");
    const data = JSON.stringify({
      id: "n1",
      title: "docs: failed",
      text: "red gates",
      url: "/app/night/run-1",
    });
    for (let times = 0; times < 2; times++)
      await devtools.send("ServiceWorker.deliverPushMessage", { origin: origin(), registrationId, data });
    const shown = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration("/app");
        return ((await registration?.getNotifications()) ?? []).map(({ title, body, tag }) => ({
          title,
          body,
          tag,
        }));
      });
    await expect.poll(shown).toEqual([{ title: "docs: failed", body: "red gates", tag: "n1" }]);
  });
});
