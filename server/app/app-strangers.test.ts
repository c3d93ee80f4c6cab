import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { createPublisher, type Publisher } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";
import { chooseFolder, signIn, useFolders } from "./fixtures/app-visit.ts";

const makeFolder = useFolders();

describe.skipIf(!hasChromium)("what others may do in Chromium", () => {
  let server: TestServer;
  let publisher: Publisher;
  let browser: TestBrowser;
  beforeEach(async () => {
    server = await startTestServer("node");
    publisher = createPublisher(server.port, server.adminToken);
    await publisher.publish("shop", { "index.html": "<h1>first</h1>" });
    browser = await openChromium();
  });
  afterEach(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("changes nothing for another site's page, and no cookie ever reaches a site", async () => {
    const attack = `<!doctype html><title>evil</title><script type="module">
      const control = "http://localhost:${server.port}";
      const tries = [
        fetch(control + "/api/sites/shop", { method: "DELETE", credentials: "include" }),
        fetch(control + "/api/sites/shop", { method: "DELETE", credentials: "include", mode: "no-cors" }),
        fetch(control + "/api/collect", { method: "POST", credentials: "include", mode: "no-cors", body: "{}" }),
        fetch(control + "/api/sites", { credentials: "include" }).then((answer) => answer.text()).then((text) => { window.stolen = text; }),
      ];
      await Promise.allSettled(tries);
      const form = Object.assign(document.createElement("form"), { method: "post", action: control + "/api/collect", target: "sink" });
      const sink = Object.assign(document.createElement("iframe"), { name: "sink", src: control + "/app" });
      document.body.append(sink, form);
      form.submit();
      document.cookie = "nightshift-session=planted; domain=localhost";
      window.tried = true;
    </script>`;
    await publisher.publish("evil", { "index.html": attack });
    await signIn(await browser.context.newPage(), { port: server.port, token: server.adminToken });
    const seen: Record<string, string>[] = [];
    const visitor = await browser.context.newPage();
    visitor.on("request", (request) => {
      if (new URL(request.url()).hostname === "evil.localhost")
        void request.allHeaders().then((headers) => seen.push(headers));
    });
    await visitor.goto(`http://evil.localhost:${server.port}/`);
    await visitor.waitForFunction("window.tried");
    expect(await visitor.evaluate("window.stolen")).toBeUndefined();
    expect(seen.length).toBeGreaterThan(0);
    for (const headers of seen) expect(headers["cookie"]).toBeUndefined();
    await visitor.close();
    expect((await publisher.send({ path: "/api/sites/shop" })).status).toBe(200);
  });

  test("offers an upload-only token no way to go live, and tells when the session has ended", async () => {
    const made = (await publisher.sendJson("/api/tokens", { site: "shop", actions: ["upload"] })).json() as {
      id: string;
      token: string;
    };
    const guest = await browser.context.newPage();
    await signIn(guest, { port: server.port, token: made.token });
    await guest.getByRole("link", { name: "shop", exact: true }).click();
    await chooseFolder(guest, makeFolder({ "index.html": "<h1>by a guest</h1>" }));
    await guest.getByRole("button", { name: "Upload as a preview" }).click();
    await guest.getByText("Your token can upload but not go live").waitFor();
    for (const name of [/Publish now/, /Go live/, /Roll back/, /Delete/, /Tokens/])
      expect([name, await guest.getByRole("button", { name }).count()]).toEqual([name, 0]);
    expect((await publisher.visit("shop", "/")).text).toBe("<h1>first</h1>");
    await publisher.send({ method: "DELETE", path: `/api/tokens/${made.id}` });
    // What somebody who comes back to the tab would meet.
    await guest.evaluate(() => dispatchEvent(new Event("focus")));
    await guest.getByText("Your session has ended").waitFor();
  });
});
