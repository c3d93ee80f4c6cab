import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, createPublisher, manifestOf, type Publisher, sha256 } from "../fixtures/http-client.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { usePostgres } from "../../test/postgres/use-postgres.ts";
import { BACKENDS, startTestServer, type TestServer } from "../fixtures/test-server.ts";

const MIB = 1024 * 1024;
const PAGE = "<!doctype html><title>one</title>one";

const postgres = usePostgres();

describe.each(BACKENDS)("publishing, $name", ({ name, runtime, database }) => {
  const isShared = database === "PostgreSQL";
  const testIt = test.skipIf(isShared && !hasPostgres);
  let server: TestServer;
  let url = "";
  let admin: Publisher;
  let count = 0;
  const newSite = () => `site-${++count}`;
  const newToken = async (request: Record<string, unknown>) => {
    const answer = await admin.sendJson("/api/tokens", request);
    expect(answer.status).toBe(201);
    return answer.json() as { id: string; token: string };
  };
  const as = (token: string) => createPublisher(server.port, token);
  const faultsOf = (answer: { json: () => never }) =>
    (
      answer.json() as {
        errors: { path: string; message: string; file?: string; limit?: number; value?: number }[];
      }
    ).errors;
  /** What uploads that were refused or broken off have left. */
  const leftOvers = async () =>
    isShared
      ? postgres.server().query(url, "SELECT id FROM blob_bodies WHERE sha256 IS NULL")
      : readdirSync(join(server.home, "blobs/tmp"));

  beforeAll(async () => {
    if (isShared && !hasPostgres) return;
    if (isShared) url = await postgres.newDatabase();
    server = await startTestServer(runtime, { env: isShared ? { DATABASE_URL: url } : {} });
    admin = createPublisher(server.port, server.adminToken);
  });
  afterAll(() => server?.stop());

  testIt("publishes a site: create, upload what is missing, activate, visit", async () => {
    const site = newSite();
    const files = { "index.html": PAGE, "assets/app.js": "console.log(1)" };
    const created = await admin.create(site, files);
    expect(created.deployment).toMatchObject({ status: "pending", siteName: site });
    expect(created.siteUrl).toBe(`http://${site}.localhost:${server.port}/`);
    expect(created.missing.map(({ path }) => path).sort()).toEqual(["assets/app.js", "index.html"]);
    expect((await admin.visit(site, "/")).status).toBe(404);
    await admin.upload(created, files);
    const activated = await admin.activate(created.deployment.id);
    expect(activated.status).toBe(200);
    expect(activated.json()).toMatchObject({ deployment: { status: "active", missing: [] } });
    const page = await admin.visit(site, "/");
    expect([page.status, page.text]).toEqual([200, PAGE]);
    expect(page.headers["x-deployment-id"]).toBe(created.deployment.id);
    const list = (await admin.send({ path: "/api/sites" })).json() as { sites: { name: string }[] };
    expect(list.sites[0]).toMatchObject({ name: site, activeDeploymentId: created.deployment.id });
  });

  testIt("shows a waiting deployment under its preview host, and keeps it off the site", async () => {
    const site = newSite();
    const first = await admin.publish(site, { "index.html": "first" });
    const files = { "index.html": "second" };
    const created = await admin.create(site, files);
    await admin.upload(created, files);
    const host = new URL(created.previewUrl).host;
    expect((await ask(server.port, { path: "/", host })).text).toBe("second");
    const live = await admin.visit(site, "/");
    expect([live.text, live.headers["x-deployment-id"]]).toEqual(["first", first]);
  });

  testIt("asks only for bytes that no site has yet", async () => {
    const shared = `shared ${name}`;
    await admin.publish(newSite(), { "index.html": PAGE, "a.txt": shared });
    const created = await admin.create(newSite(), { "index.html": PAGE, "b.txt": shared, "c.txt": "new" });
    expect(created.missing.map(({ path }) => path)).toEqual(["c.txt"]);
  });

  testIt("lists every fault of a manifest in one answer, with file, limit and value", async () => {
    const manifest = [
      { path: "../up.html", size: 1, sha256: "0".repeat(64) },
      { path: "big.bin", size: 10 * MIB + 1, sha256: "1".repeat(64) },
      { path: "bad.txt", size: 1.5, sha256: "XYZ" },
      { path: "Twin.txt", size: 1, sha256: "2".repeat(64) },
      { path: "twin.txt", size: 1, sha256: "2".repeat(64) },
      { path: ".env", size: 1, sha256: "3".repeat(64) },
      { path: "twin.txt/file", size: 1, sha256: "4".repeat(64) },
    ];
    const answer = await admin.sendJson(`/api/sites/${newSite()}/deployments`, { manifest });
    expect(answer.status).toBe(400);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    const faults = faultsOf(answer);
    expect(faults.map(({ path }) => path)).toEqual([
      "/manifest/0/path",
      "/manifest/1/size",
      "/manifest/2/size",
      "/manifest/2/sha256",
      "/manifest/5/path",
      "/manifest/4/path",
      "/manifest/6/path",
      "/manifest",
    ]);
    expect(faults[1]).toMatchObject({ file: "big.bin", limit: 10 * MIB, value: 10 * MIB + 1 });
    expect(answer.json()).toMatchObject({ error: expect.stringContaining("../up.html") as string });
  });

  testIt.each([
    ["501 files", { count: 501, size: 1 }, { limit: 500, value: 501 }],
    ["more than 50 MiB in all", { count: 6, size: 9 * MIB }, { limit: 50 * MIB, value: 54 * MIB }],
    ["no file at all", { count: 0, size: 0 }, { limit: 500, value: 0 }],
  ])("refuses %s", async (_what, { count, size }, expected) => {
    const manifest = Array.from({ length: count }, (_, index) => ({
      path: index === 0 ? "index.html" : `${index}.txt`,
      size,
      sha256: sha256(String(index)),
    }));
    const answer = await admin.sendJson(`/api/sites/${newSite()}/deployments`, { manifest });
    expect(answer.status).toBe(400);
    expect(faultsOf(answer)).toContainEqual(expect.objectContaining(expected));
  });

  testIt("takes exactly 500 files, 10 MiB in one and 50 MiB in all", async () => {
    const manifest = Array.from({ length: 500 }, (_, index) => ({
      path: index === 0 ? "index.html" : `${index}.txt`,
      size: index < 5 ? 10 * MIB : 0,
      sha256: index < 5 ? sha256(`limit ${index}`) : sha256(""),
    }));
    const answer = await admin.sendJson(`/api/sites/${newSite()}/deployments`, { manifest });
    expect(answer.status).toBe(201);
  });

  testIt("refuses a site without index.html at its top", async () => {
    const manifest = manifestOf({ "pages/index.html": PAGE });
    const answer = await admin.sendJson(`/api/sites/${newSite()}/deployments`, { manifest });
    expect([answer.status, faultsOf(answer)[0]?.message]).toEqual([
      400,
      expect.stringContaining("index.html is required"),
    ]);
  });

  testIt.each(["Www", "a--b", "-a", "a_b", "api", "a.b"])("refuses the site name %s", async (name) => {
    const answer = await admin.sendJson(`/api/sites/${name}/deployments`, {
      manifest: manifestOf({ "index.html": PAGE }),
    });
    expect([answer.status, faultsOf(answer)[0]?.path]).toEqual([400, "/name"]);
  });

  testIt("refuses a body that is not JSON, or not a manifest", async () => {
    const path = `/api/sites/${newSite()}/deployments`;
    const headers = { "content-type": "application/json" };
    expect((await admin.send({ method: "POST", path, body: "{", headers })).status).toBe(400);
    const wrong = await admin.sendJson(path, { manifest: [{ path: 1 }], dryRun: "yes" });
    expect(wrong.status).toBe(400);
    expect(faultsOf(wrong).map((fault) => fault.path)).toEqual(
      expect.arrayContaining([
        "/body/manifest/0/path",
        "/body/manifest/0/size",
        "/body/manifest/0/sha256",
        "/body/dryRun",
      ]),
    );
  });

  testIt("refuses bytes of another length or digest and keeps none of them", async () => {
    const created = await admin.create(newSite(), { "index.html": `${PAGE}${name}` });
    const { id } = created.deployment;
    const good = `${PAGE}${name}`;
    for (const [body, headers] of [
      [`${good}!`, {}],
      [good.slice(1), {}],
      [`X${good.slice(1)}`, {}],
      [good, { "content-digest": `sha-256=:${createHash("sha256").update("other").digest("base64")}:` }],
      [good, { "content-digest": "sha-256=nonsense" }],
    ] as const) {
      const answer = await admin.put(id, "index.html", body, { ...headers });
      expect([answer.status, (answer.json() as { code: string }).code]).toEqual([400, "bad-data"]);
    }
    expect((await admin.put(id, "index.html", good, { "content-encoding": "gzip" })).status).toBe(415);
    expect((await admin.put(id, "other.html", good)).json()).toMatchObject({
      error: expect.stringMatching(/^Asset is not in the manifest/) as string,
    });
    expect((await admin.put(id, "../index.html", good)).status).toBe(400);
    expect(await leftOvers()).toEqual([]);
    const digest = { "content-digest": `sha-256=:${createHash("sha256").update(good).digest("base64")}:` };
    expect((await admin.put(id, "index.html", good, digest)).status).toBe(200);
    expect((await admin.put(id, "index.html", good)).status).toBe(200);
  });

  testIt("takes a body that does not say its length, and cuts one that is too long", async () => {
    const content = `chunked ${name}`;
    const created = await admin.create(newSite(), { "index.html": content });
    const put = (chunks: string[]) =>
      new Promise<number>((resolve, reject) => {
        const path = `/api/deployments/${created.deployment.id}/assets?path=index.html`;
        const headers = { authorization: `Bearer ${server.adminToken}`, "transfer-encoding": "chunked" };
        const sent = httpRequest(
          { host: "127.0.0.1", port: server.port, method: "PUT", path, headers },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode ?? 0);
          },
        );
        sent.on("error", reject);
        for (const chunk of chunks) sent.write(chunk);
        sent.end();
      });
    expect(await put([content, "!"])).toBe(400);
    expect(await put([content.slice(1)])).toBe(400);
    expect(await put([content.slice(0, 3), content.slice(3)])).toBe(200);
    expect(await leftOvers()).toEqual([]);
  });

  testIt("refuses an oversized body before reading it", async () => {
    const created = await admin.create(newSite(), { "index.html": PAGE, "x.bin": "x" });
    const target = `/api/deployments/${created.deployment.id}/assets?path=x.bin`;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString();
        if (text.includes("\r\n\r\n")) {
          socket.destroy();
          resolve(text);
        }
      });
      socket.on("error", reject);
      // The headers alone: an answer can only come because the body was not waited for.
      socket.write(
        `PUT ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.adminToken}\r\nContent-Length: ${11 * MIB}\r\n\r\n`,
      );
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  testIt("forgets an upload whose sender goes away, and takes it again", async () => {
    const content = Buffer.alloc(2 * MIB, name);
    const created = await admin.create(newSite(), { "index.html": PAGE, "x.bin": content });
    await new Promise<void>((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", reject);
      socket.on("close", () => resolve());
      socket.write(
        `PUT /api/deployments/${created.deployment.id}/assets?path=x.bin HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.adminToken}\r\nContent-Length: ${content.length}\r\n\r\n`,
      );
      socket.write(content.subarray(0, MIB), () => socket.destroy());
    });
    await expect.poll(leftOvers, { timeout: 10_000 }).toEqual([]);
    const again = (await admin.send({ path: `/api/deployments/${created.deployment.id}` })).json() as {
      missing: unknown[];
    };
    expect(again.missing).toHaveLength(created.missing.length);
    await admin.upload(created, { "index.html": PAGE, "x.bin": content });
    expect((await admin.activate(created.deployment.id)).status).toBe(200);
  });

  testIt("does not activate what is incomplete, and says what is missing", async () => {
    const site = newSite();
    const first = await admin.publish(site, { "index.html": "one" });
    const created = await admin.create(site, { "index.html": "one", "late.txt": `late ${site}` });
    const refused = await admin.activate(created.deployment.id);
    expect(refused.status).toBe(409);
    expect(refused.json()).toMatchObject({
      error: expect.stringMatching(/^All manifest assets must be uploaded before activation/) as string,
      missing: [{ path: "late.txt" }],
    });
    expect((await admin.visit(site, "/")).headers["x-deployment-id"]).toBe(first);
  });

  testIt("activates twice as once, and goes back by activating an older one", async () => {
    const site = newSite();
    const one = await admin.publish(site, { "index.html": "one" });
    const two = await admin.publish(site, { "index.html": "two" });
    const again = await admin.activate(two);
    expect([again.status, again.json()]).toEqual([200, expect.objectContaining({ changed: false })]);
    const back = await admin.activate(one);
    expect(back.json()).toMatchObject({ changed: true, previous: two, deployment: { status: "active" } });
    expect((await admin.visit(site, "/")).text).toBe("one");
    const { deployments } = (await admin.send({ path: `/api/sites/${site}/deployments` })).json() as {
      deployments: { id: string; status: string }[];
    };
    expect(deployments.map(({ id, status }) => [id, status])).toEqual([
      [two, "superseded"],
      [one, "active"],
    ]);
  });

  testIt("changes nothing when If-Match names another deployment than the live one", async () => {
    const site = newSite();
    const one = await admin.publish(site, { "index.html": "one" });
    const two = await admin.publish(site, { "index.html": "two" });
    const created = await admin.create(site, { "index.html": PAGE });
    const stale = await admin.activate(created.deployment.id, { "if-match": `"${one}"` });
    expect([stale.status, stale.json()]).toEqual([412, expect.objectContaining({ activeDeploymentId: two })]);
    expect((await admin.visit(site, "/")).text).toBe("two");
    expect((await admin.activate(created.deployment.id, { "if-match": "nonsense" })).status).toBe(400);
    expect((await admin.activate(created.deployment.id, { "if-none-match": "*" })).status).toBe(412);
    expect((await admin.activate(created.deployment.id, { "if-match": `"${one}", "${two}"` })).status).toBe(
      200,
    );
  });

  testIt("does not let an older waiting deployment silently replace a newer one", async () => {
    const site = newSite();
    const older = await admin.create(site, { "index.html": PAGE });
    const newer = await admin.publish(site, { "index.html": "newer" });
    await admin.upload(older, { "index.html": PAGE });
    const refused = await admin.activate(older.deployment.id);
    expect([refused.status, refused.json()]).toEqual([
      409,
      expect.objectContaining({ activeDeploymentId: newer }),
    ]);
    expect((await admin.activate(older.deployment.id, { "if-match": `"${newer}"` })).status).toBe(200);
  });

  testIt("lets exactly one of two racing activations win when both expect the same", async () => {
    const site = newSite();
    const live = await admin.publish(site, { "index.html": "live" });
    const rivals = await Promise.all(
      ["a", "b"].map(async (name) => {
        const created = await admin.create(site, { "index.html": `${name}${site}` });
        await admin.upload(created, { "index.html": `${name}${site}` });
        return created.deployment.id;
      }),
    );
    const answers = await Promise.all(rivals.map((id) => admin.activate(id, { "if-match": `"${live}"` })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
  });

  testIt("answers the plan of a dry run and creates nothing", async () => {
    const site = newSite();
    await admin.publish(site, { "index.html": "one", "gone.txt": "x", "same.txt": "same" });
    const files = { "index.html": `two ${site}`, "same.txt": "same", "new.pem": "k" };
    const answer = await admin.sendJson(`/api/sites/${site}/deployments`, {
      manifest: manifestOf(files),
      dryRun: true,
    });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      dryRun: true,
      plan: {
        added: ["new.pem"],
        changed: ["index.html"],
        removed: ["gone.txt"],
        unchanged: 1,
        filesLeft: 497,
      },
      warnings: [expect.stringContaining("new.pem") as string],
    });
    const list = (await admin.send({ path: `/api/sites/${site}/deployments` })).json() as {
      deployments: unknown[];
    };
    expect(list.deployments).toHaveLength(1);
  });

  testIt("builds a deployment from a base and a patch", async () => {
    const site = newSite();
    const base = await admin.publish(site, { "index.html": "one", "a.txt": "a", "b.txt": "b" });
    const created = await admin.create(site, { "b.txt": "b2", "c.txt": "c" }, { base, remove: ["a.txt"] });
    expect(created.deployment.manifest.map(({ path }) => path)).toEqual(["b.txt", "c.txt", "index.html"]);
    const wrong = await admin.sendJson(`/api/sites/${site}/deployments`, {
      manifest: [],
      base,
      remove: ["zz"],
    });
    expect(faultsOf(wrong)[0]?.path).toBe("/remove/0");
    const foreign = await admin.sendJson(`/api/sites/${newSite()}/deployments`, { manifest: [], base });
    expect(faultsOf(foreign)[0]?.path).toBe("/base");
  });

  testIt(
    "gives the same deployment for the same Idempotency-Key, and refuses the key for another request",
    async () => {
      const site = newSite();
      const send = (text: string) =>
        admin.sendJson(
          `/api/sites/${site}/deployments`,
          { manifest: manifestOf({ "index.html": text }) },
          { "idempotency-key": `key ${site}` },
        );
      const [one, two] = await Promise.all([send("same"), send("same")]);
      const idOf = (answer: { json: () => never }) =>
        (answer.json() as { deployment: { id: string } }).deployment.id;
      expect([one.status, two.status]).toEqual([201, 201]);
      expect(idOf(one)).toBe(idOf(two));
      expect((await send("other")).status).toBe(409);
    },
  );

  testIt("puts a deployment live only when its checks pass on the preview", async () => {
    const site = newSite();
    await admin.publish(site, { "index.html": "good" });
    const failing = await admin.create(
      site,
      { "index.html": "broken" },
      {
        checks: [{ path: "/", contains: "good" }, { path: "/nowhere" }, { path: "/nowhere", status: 404 }],
      },
    );
    await admin.upload(failing, { "index.html": "broken" });
    const refused = await admin.activate(failing.deployment.id);
    expect(refused.status).toBe(409);
    expect(faultsOf(refused).map(({ path }) => path)).toEqual(["/checks/0", "/checks/1"]);
    expect((await admin.visit(site, "/")).text).toBe("good");
    const passing = await admin.create(
      site,
      { "index.html": "good too" },
      { checks: [{ path: "/", contains: "good" }] },
    );
    await admin.upload(passing, { "index.html": "good too" });
    expect((await admin.activate(passing.deployment.id)).status).toBe(200);
  });

  testIt("tells the faults of rule files with their lines, at their upload or at creation", async () => {
    const files = {
      "index.html": "rules",
      _redirects: "/old /new 301\n/x y\n",
      _headers: "/*\n  Set-Cookie: a=b\n",
    };
    const created = await admin.create(newSite(), files);
    const redirects = await admin.put(created.deployment.id, "_redirects", files["_redirects"]);
    expect(faultsOf(redirects)[0]).toMatchObject({ path: "/_redirects/2", file: "_redirects" });
    const headers = await admin.put(created.deployment.id, "_headers", files["_headers"]);
    expect(faultsOf(headers)[0]).toMatchObject({ path: "/_headers/2", file: "_headers" });
    // The same bytes are known as a plain file's: then the manifest itself is refused.
    await admin.publish(newSite(), { "index.html": "rules", "rules.txt": files["_redirects"] });
    const known = await admin.sendJson(`/api/sites/${newSite()}/deployments`, {
      manifest: manifestOf({ "index.html": "rules", _redirects: files["_redirects"] }),
    });
    expect([known.status, faultsOf(known)[0]?.path]).toEqual([400, "/_redirects/2"]);
  });

  testIt("keeps tokens to their actions and their site", async () => {
    const [mine, other] = [newSite(), newSite()];
    await admin.publish(other, { "index.html": "other" });
    const uploader = as((await newToken({ site: mine, actions: ["upload"] })).token);
    const created = await uploader.create(mine, { "index.html": "mine" });
    await uploader.upload(created, { "index.html": "mine" });
    expect((await uploader.activate(created.deployment.id)).status).toBe(403);
    expect((await uploader.send({ method: "DELETE", path: `/api/sites/${mine}` })).status).toBe(403);
    expect(
      (
        await uploader.sendJson(`/api/sites/${other}/deployments`, {
          manifest: manifestOf({ "index.html": "x" }),
        })
      ).status,
    ).toBe(403);
    expect((await uploader.send({ path: `/api/sites/${other}` })).status).toBe(404);
    const foreign = await admin.create(other, { "index.html": "foreign" });
    expect((await uploader.send({ path: `/api/deployments/${foreign.deployment.id}` })).status).toBe(404);
    expect((await uploader.put(foreign.deployment.id, "index.html", "foreign")).status).toBe(404);
    expect((await uploader.send({ path: "/api/tokens" })).status).toBe(403);
    expect((await uploader.sendJson("/api/tokens", { actions: ["admin"] })).status).toBe(403);
    const { sites } = (await uploader.send({ path: "/api/sites" })).json() as { sites: { name: string }[] };
    expect(sites.map(({ name }) => name)).toEqual([mine]);
    const releaser = as((await newToken({ site: mine, actions: ["activate"] })).token);
    expect((await releaser.activate(created.deployment.id)).status).toBe(200);
  });

  testIt.each(["", "Bearer", "Bearer x", `Bearer nightshift_${"A".repeat(43)}00000000`, "Basic eDp5"])(
    "answers 401 with a challenge to the Authorization %j",
    async (authorization) => {
      const answer = await ask(server.port, {
        path: "/api/sites",
        headers: authorization ? { authorization } : {},
      });
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
    },
  );

  testIt("ends a token when it is revoked", async () => {
    const { id, token } = await newToken({ actions: ["upload"], expiresInSeconds: 60 });
    expect((await as(token).send({ path: "/api/me" })).status).toBe(200);
    expect((await admin.send({ method: "DELETE", path: `/api/tokens/${id}` })).status).toBe(200);
    expect((await as(token).send({ path: "/api/me" })).status).toBe(401);
    expect((await admin.send({ method: "DELETE", path: `/api/tokens/${id}` })).status).toBe(404);
  });

  testIt("lists every fault of a token request at once", async () => {
    const answer = await admin.sendJson("/api/tokens", {
      site: "a--b",
      actions: ["admin"],
      expiresInSeconds: 0,
    });
    expect(faultsOf(answer).map(({ path }) => path)).toEqual([
      "/body/site",
      "/body/actions",
      "/body/expiresInSeconds",
    ]);
  });

  testIt("deletes deployments that are not live, and sites with all they had", async () => {
    const site = newSite();
    const one = await admin.publish(site, { "index.html": "one" });
    const two = await admin.publish(site, { "index.html": "two" });
    const remove = (path: string) => admin.send({ method: "DELETE", path });
    expect((await remove(`/api/deployments/${two}`)).status).toBe(409);
    expect((await remove(`/api/deployments/${one}`)).status).toBe(200);
    expect((await admin.send({ path: `/api/deployments/${one}` })).status).toBe(404);
    expect((await remove(`/api/sites/${site}`)).status).toBe(200);
    expect((await admin.visit(site, "/")).status).toBe(404);
    expect((await remove(`/api/sites/${site}`)).status).toBe(404);
  });

  testIt("keeps the live, the last ten and the pinned deployments, and says what expired", async () => {
    const site = newSite();
    const ids: string[] = [];
    for (let index = 0; index < 13; index++) {
      ids.push(await admin.publish(site, { "index.html": `page ${index}` }));
      if (index === 0) await admin.sendJson(`/api/deployments/${ids[0]}/pin`, { pinned: true });
    }
    const { deployments } = (await admin.send({ path: `/api/sites/${site}/deployments` })).json() as {
      deployments: { id: string; status: string }[];
    };
    const statusOf = (id: string | undefined) => deployments.find((found) => found.id === id)?.status;
    expect(statusOf(ids[0])).toBe("superseded");
    expect(statusOf(ids[1])).toBe("expired");
    expect(statusOf(ids[2])).toBe("superseded");
    expect(statusOf(ids[12])).toBe("active");
    expect((await admin.activate(ids[1] ?? "")).status).toBe(409);
    const { events } = (await admin.send({ path: `/api/sites/${site}/events` })).json() as {
      events: { action: string; deployment: string }[];
    };
    expect(events).toContainEqual(expect.objectContaining({ action: "expired", deployment: ids[1] }));
    const dry = (await admin.sendJson("/api/collect", { dryRun: true })).json() as { dryRun: boolean };
    expect(dry.dryRun).toBe(true);
  });

  testIt("exports a site and imports it under another name, history and bytes included", async () => {
    const site = newSite();
    const one = await admin.publish(site, { "index.html": "one", "ä/x.txt": "umlaut" });
    await admin.publish(site, { "index.html": "two" });
    const archive = await admin.send({ path: `/api/sites/${site}/export` });
    expect([archive.status, archive.headers["content-type"]]).toEqual([200, "application/x-tar"]);
    const copy = newSite();
    const upload = (body: Buffer, name: string) =>
      admin.send({
        method: "POST",
        path: `/api/import?name=${name}`,
        body,
        headers: { "content-type": "application/x-tar" },
      });
    const imported = await upload(archive.body, copy);
    expect([imported.status, imported.json()]).toEqual([
      201,
      expect.objectContaining({ site: copy, deployments: 2 }),
    ]);
    expect((await admin.visit(copy, "/")).text).toBe("two");
    expect((await upload(archive.body, copy)).status).toBe(409);
    expect(
      (await upload(Buffer.from(archive.body.toString("latin1").replace("two", "2wo"), "latin1"), newSite()))
        .status,
    ).toBe(400);
    expect((await upload(archive.body.subarray(0, archive.body.length / 2), newSite())).status).toBe(400);
    expect((await upload(Buffer.from("no tar"), newSite())).status).toBe(400);
    const files = await admin.send({ path: `/api/deployments/${one}/files` });
    expect(files.body.includes("ä/x.txt")).toBe(true);
  });

  testIt("knows no such site, deployment or route", async () => {
    for (const path of ["/api/sites/nowhere", "/api/deployments/0000000000000000", "/api/nothing"])
      expect((await admin.send({ path })).status).toBe(404);
    const wrong = await admin.send({ method: "PATCH", path: "/api/sites" });
    expect([wrong.status, wrong.headers["allow"]]).toEqual([405, "GET"]);
  });
});
