import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { faultsOf, manifestOf } from "../fixtures/http-client.ts";

const MIB = 1024 * 1024;
const PAGE = "<!doctype html><title>one</title>one";

describeServers("uploading", (lab) => {
  test("refuses bytes of another length or digest and keeps none of them", async () => {
    const created = await lab.admin.create(lab.newSite(), { "index.html": `${PAGE}${lab.name}` });
    const { id } = created.deployment;
    const good = `${PAGE}${lab.name}`;
    for (const [body, headers] of [
      [`${good}!`, {}],
      [good.slice(1), {}],
      [`X${good.slice(1)}`, {}],
      [good, { "content-digest": `sha-256=:${createHash("sha256").update("other").digest("base64")}:` }],
      [good, { "content-digest": "sha-256=nonsense" }],
    ] as const) {
      const answer = await lab.admin.put(id, "index.html", body, { ...headers });
      expect([answer.status, (answer.json() as { code: string }).code]).toEqual([400, "bad-data"]);
    }
    expect((await lab.admin.put(id, "index.html", good, { "content-encoding": "gzip" })).status).toBe(415);
    expect((await lab.admin.put(id, "other.html", good)).json()).toMatchObject({
      error: expect.stringMatching(/^Asset is not in the manifest/) as string,
    });
    expect((await lab.admin.put(id, "../index.html", good)).status).toBe(400);
    expect(await lab.unfinishedUploads()).toEqual([]);
    const digest = { "content-digest": `sha-256=:${createHash("sha256").update(good).digest("base64")}:` };
    expect((await lab.admin.put(id, "index.html", good, digest)).status).toBe(200);
    expect((await lab.admin.put(id, "index.html", good)).status).toBe(200);
  });

  test("takes a body that does not say its length, and cuts one that is too long", async () => {
    const content = `chunked ${lab.name}`;
    const created = await lab.admin.create(lab.newSite(), { "index.html": content });
    const put = (chunks: string[]) =>
      new Promise<number>((resolve, reject) => {
        const path = `/api/deployments/${created.deployment.id}/assets?path=index.html`;
        const headers = { authorization: `Bearer ${lab.server.adminToken}`, "transfer-encoding": "chunked" };
        const sent = httpRequest(
          { host: "127.0.0.1", port: lab.server.port, method: "PUT", path, headers },
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
    expect(await lab.unfinishedUploads()).toEqual([]);
  });

  test("refuses an oversized body before reading it", async () => {
    const created = await lab.admin.create(lab.newSite(), { "index.html": PAGE, "x.bin": "x" });
    const target = `/api/deployments/${created.deployment.id}/assets?path=x.bin`;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(lab.server.port, "127.0.0.1");
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
        `PUT ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${lab.server.adminToken}\r\nContent-Length: ${11 * MIB}\r\n\r\n`,
      );
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("forgets an upload whose sender goes away, and takes it again", async () => {
    const content = Buffer.alloc(2 * MIB, lab.name);
    const created = await lab.admin.create(lab.newSite(), { "index.html": PAGE, "x.bin": content });
    await new Promise<void>((resolve, reject) => {
      const socket = connect(lab.server.port, "127.0.0.1");
      socket.on("error", reject);
      socket.on("close", () => resolve());
      socket.write(
        `PUT /api/deployments/${created.deployment.id}/assets?path=x.bin HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${lab.server.adminToken}\r\nContent-Length: ${content.length}\r\n\r\n`,
      );
      socket.write(content.subarray(0, MIB), () => socket.destroy());
    });
    await expect.poll(lab.unfinishedUploads).toEqual([]);
    const again = (await lab.admin.send({ path: `/api/deployments/${created.deployment.id}` })).json() as {
      missing: unknown[];
    };
    expect(again.missing).toHaveLength(created.missing.length);
    await lab.admin.upload(created, { "index.html": PAGE, "x.bin": content });
    expect((await lab.admin.activate(created.deployment.id)).status).toBe(200);
  });

  test("tells the faults of rule files with their lines, at their upload or at creation", async () => {
    const files = {
      "index.html": "rules",
      _redirects: "/old /new 301\n/x y\n",
      _headers: "/*\n  Set-Cookie: a=b\n",
    };
    const created = await lab.admin.create(lab.newSite(), files);
    const redirects = await lab.admin.put(created.deployment.id, "_redirects", files["_redirects"]);
    expect(faultsOf(redirects)[0]).toMatchObject({ path: "/_redirects/2", file: "_redirects" });
    const headers = await lab.admin.put(created.deployment.id, "_headers", files["_headers"]);
    expect(faultsOf(headers)[0]).toMatchObject({ path: "/_headers/2", file: "_headers" });
    // The same bytes are known as a plain file's: then the manifest itself is refused.
    const site = lab.newSite();
    await lab.admin.publish(site, { "index.html": "rules", "rules.txt": files["_redirects"] });
    const known = await lab.admin.sendJson(`/api/sites/${site}/deployments`, {
      manifest: manifestOf({ "index.html": "rules", _redirects: files["_redirects"] }),
    });
    expect([known.status, faultsOf(known)[0]?.path]).toEqual([400, "/_redirects/2"]);
  });
});
