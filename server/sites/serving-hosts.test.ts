import { beforeAll, expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { ask } from "../fixtures/http-client.ts";
import { FILES, PAGE, SPA } from "./fixtures/site-files.ts";

describeServers("sites beside each other", (lab) => {
  beforeAll(async () => {
    await lab.admin.publish("web", FILES);
    await lab.admin.publish("spa", SPA);
  });

  test("goes on serving the last deployments' assets to open tabs, but not their pages", async () => {
    const first = await lab.admin.publish("tabs", {
      "index.html": "1",
      "assets/one.js": "one",
      "old.html": "old",
    });
    await lab.admin.publish("tabs", { "index.html": "2", "assets/two.js": "two" });
    const visit = (path: string) => lab.admin.visit("tabs", path);
    const old = await visit("/assets/one.js");
    expect([old.status, old.text, old.headers["x-deployment-id"]]).toEqual([200, "one", first]);
    expect((await visit("/old.html")).status).toBe(404);
    expect((await visit("/old")).status).toBe(404);
  });

  test("keeps search engines and caches off previews", async () => {
    const created = await lab.admin.create("web", { "index.html": PAGE, "late.txt": `late ${lab.name}` });
    const host = new URL(created.previewUrl).host;
    const page = await ask(lab.server.port, { path: "/", host });
    expect(page.headers["x-robots-tag"]).toBe("noindex");
    expect(page.headers["cache-control"]).toBe("private, no-cache");
    expect((await ask(lab.server.port, { path: "/late.txt", host })).status).toBe(404);
    const elsewhere = host.replace("--web", "--spa");
    expect((await ask(lab.server.port, { path: "/", host: elsewhere })).status).toBe(404);
  });

  test("keeps sites off the control origin and the API off every site", async () => {
    for (const path of ["/api/sites", "/app", "/health", "/openapi"]) {
      const answer = await lab.admin.visit("web", path, {
        headers: { authorization: `Bearer ${lab.server.adminToken}` },
      });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await ask(lab.server.port, { path: "/data.json" })).status).toBe(404);
    for (const host of ["a.b.localhost", "web..localhost", "evil.example", "web.localhost.evil.example"])
      expect([host, (await ask(lab.server.port, { path: "/", host })).status]).toEqual([host, 403]);
    for (const host of ["web.localhost:x", "a b", "web.localhost/x", "[zz]"])
      expect([host, (await ask(lab.server.port, { path: "/", host })).status]).toEqual([host, 400]);
    expect((await ask(lab.server.port, { path: "/", host: "WEB.LOCALHOST.:80" })).text).toBe(PAGE);
    expect((await ask(lab.server.port, { path: "/", host: "nowhere.localhost" })).status).toBe(404);
  });
});
