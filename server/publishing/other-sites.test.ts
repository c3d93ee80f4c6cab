import { expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import {
  ask,
  createPublisher,
  faultsOf,
  manifestOf,
  type Publisher,
  sha256,
} from "../fixtures/http-client.ts";

const PAGE = "<!doctype html><title>mine</title>";

describeServers("bytes of other sites", (lab) => {
  const tokenFor = async (site: string, actions: string[]): Promise<Publisher> => {
    const answer = await lab.admin.sendJson("/api/tokens", { site, actions });
    return createPublisher(lab.server.port, (answer.json() as { token: string }).token);
  };

  test("are asked for again, and neither served, exported nor judged before they were sent", async () => {
    const secret = `the unpublished text of ${lab.name}`;
    const theirs = lab.newSite();
    const rules = `/a /b\n${lab.name} is a secret line\n`;
    await lab.admin.upload(
      await lab.admin.create(theirs, { "index.html": PAGE, "draft.txt": secret, "notes.txt": rules }),
      { "index.html": PAGE, "draft.txt": secret, "notes.txt": rules },
    );
    const site = lab.newSite();
    const mine = await tokenFor(site, ["upload", "activate"]);
    const files = { "index.html": PAGE, "stolen.txt": secret, _redirects: rules };
    const dryRun = await mine.sendJson(`/api/sites/${site}/deployments`, {
      manifest: manifestOf(files),
      dryRun: true,
    });
    expect((dryRun.json() as { missing: unknown[] }).missing).toHaveLength(3);
    // Naming them twice proves nothing either.
    for (let round = 0; round < 2; round += 1) {
      const created = await mine.create(site, files);
      expect(created.missing.map(({ path }) => path).sort()).toEqual([
        "_redirects",
        "index.html",
        "stolen.txt",
      ]);
      const { id } = created.deployment;
      expect((await mine.send({ path: `/api/deployments/${id}/files` })).status).toBe(409);
      expect((await mine.activate(id)).status).toBe(409);
      const host = new URL(created.previewUrl).host;
      for (const path of ["/", "/stolen.txt"])
        expect((await ask(lab.server.port, { path, host })).status).toBe(404);
    }
    // Whoever has the bytes sends them, once for all deployments of the site.
    const own = { "index.html": PAGE, "stolen.txt": secret };
    const created = await mine.create(site, own);
    await mine.upload(created, own);
    expect((await mine.activate(created.deployment.id)).status).toBe(200);
    expect((await mine.create(site, own)).missing).toEqual([]);
    expect((await lab.admin.visit(site, "/stolen.txt")).text).toBe(secret);
  });

  test("a manifest that lies about the size of bytes is refused, whether they are here or not", async () => {
    const site = lab.newSite();
    const long = `HTTP/1.1 200 OK\r\n\r\nEVIL! ${lab.name}`;
    await lab.admin.publish(site, { "index.html": PAGE, "long.txt": long });
    const manifest = manifestOf({ "index.html": PAGE, "long.txt": long }).map((entry) =>
      entry.path === "long.txt" ? { ...entry, size: 5 } : entry,
    );
    const here = await lab.admin.sendJson(`/api/sites/${site}/deployments`, { manifest });
    expect([here.status, faultsOf(here)]).toEqual([
      400,
      [
        expect.objectContaining({
          path: "/manifest/1/size",
          file: "long.txt",
          message: `"long.txt": size says 5 bytes; the bytes of this sha256 are ${long.length}`,
        }),
      ],
    ]);
    const elsewhere = lab.newSite();
    const created = await lab.admin.sendJson(`/api/sites/${elsewhere}/deployments`, { manifest });
    const { id } = (created.json() as { deployment: { id: string } }).deployment;
    expect((await lab.admin.put(id, "long.txt", long)).status).toBe(400);
    await lab.admin.put(id, "index.html", PAGE);
    expect((await lab.admin.activate(id)).status).toBe(409);
    expect(sha256(long)).toBe(manifest[1]?.sha256);
  });

  test("a token that may only upload pins nothing", async () => {
    const site = lab.newSite();
    const mine = await tokenFor(site, ["upload"]);
    for (const dryRun of [true, false]) {
      const answer = await mine.sendJson(`/api/sites/${site}/deployments`, {
        manifest: manifestOf({ "index.html": PAGE }),
        pinned: true,
        dryRun,
      });
      expect(answer.status).toBe(403);
    }
    expect((await mine.create(site, { "index.html": PAGE })).deployment.status).toBe("pending");
  });

  test("a redirect to a target outside ASCII is an address that every client reads", async () => {
    const site = lab.newSite();
    await lab.admin.publish(site, {
      "index.html": PAGE,
      "日本.html": "there",
      _redirects: "/jp /日本\n/far https://example.com/ü?q=é%20a 302\n/p/:x /日/:x\n",
    });
    const at = async (path: string) => {
      const { status, headers } = await lab.admin.visit(site, path);
      return [status, headers["location"]];
    };
    expect(await at("/jp")).toEqual([301, "/%E6%97%A5%E6%9C%AC"]);
    expect(await at("/far")).toEqual([302, "https://example.com/%C3%BC?q=%C3%A9%20a"]);
    expect(await at("/p/%C3%BC")).toEqual([301, "/%E6%97%A5/%C3%BC"]);
    expect((await lab.admin.visit(site, "/%E6%97%A5%E6%9C%AC")).text).toBe("there");
  });

  test("headers that steer a proxy or the browser are refused, those of both rule files at once", async () => {
    const steering = [
      "X-Accel-Redirect: /internal/secret",
      "X-Sendfile: /etc/passwd",
      'Clear-Site-Data: "*"',
      'Alt-Svc: h2="evil.example:443"',
      "Strict-Transport-Security: max-age=1",
      "Service-Worker-Allowed: /",
      "Content-Type: text/html",
      "Set-Cookie: a=b",
      "X-Own: 1",
    ];
    const files = {
      "index.html": `${PAGE}${lab.name}`,
      _headers: `/*\n${steering.map((line) => `  ${line}\n`).join("")}  Cache-Control: no-store\n`,
      _redirects: "/a\n",
    };
    const site = lab.newSite();
    const created = await lab.admin.create(site, files);
    expect(faultsOf(await lab.admin.put(created.deployment.id, "_headers", files["_headers"]))).toHaveLength(
      9,
    );
    const both = ["/_headers/2", "/_headers/10", "/_redirects/1"];
    const second = await lab.admin.put(created.deployment.id, "_redirects", files["_redirects"]);
    expect([second.status, faultsOf(second).map(({ path }) => path)]).toEqual([
      400,
      expect.arrayContaining(both),
    ]);
    await lab.admin.put(created.deployment.id, "index.html", files["index.html"]);
    for (const refused of [
      await lab.admin.activate(created.deployment.id),
      await lab.admin.sendJson(`/api/sites/${site}/deployments`, { manifest: manifestOf(files) }),
    ])
      expect([refused.status >= 400, faultsOf(refused).map(({ path }) => path)]).toEqual([
        true,
        expect.arrayContaining(both),
      ]);
    const preview = await ask(lab.server.port, { path: "/", host: new URL(created.previewUrl).host });
    expect(preview.headers).not.toHaveProperty("x-accel-redirect");
    expect(preview.headers["cache-control"]).toBe("no-store");
  });
});
