import { expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { ask } from "../fixtures/http-client.ts";

const PAGE = "<!doctype html><title>one</title>one";

describeServers("sites", (lab) => {
  test("publishes a site: create, upload what is missing, activate, visit", async () => {
    const site = lab.newSite();
    const files = { "index.html": PAGE, "assets/app.js": "console.log(1)" };
    const created = await lab.admin.create(site, files);
    expect(created.deployment).toMatchObject({ status: "pending", siteName: site });
    expect(created.siteUrl).toBe(`http://${site}.localhost:${lab.server.port}/`);
    expect(created.missing.map(({ path }) => path).sort()).toEqual(["assets/app.js", "index.html"]);
    expect((await lab.admin.visit(site, "/")).status).toBe(404);
    await lab.admin.upload(created, files);
    const activated = await lab.admin.activate(created.deployment.id);
    expect(activated.status).toBe(200);
    expect(activated.json()).toMatchObject({ deployment: { status: "active", missing: [] } });
    const page = await lab.admin.visit(site, "/");
    expect([page.status, page.text]).toEqual([200, PAGE]);
    expect(page.headers["x-deployment-id"]).toBe(created.deployment.id);
    const list = (await lab.admin.send({ path: "/api/sites" })).json() as { sites: { name: string }[] };
    expect(list.sites[0]).toMatchObject({ name: site, activeDeploymentId: created.deployment.id });
  });

  test("shows a waiting deployment under its preview host, and keeps it off the site", async () => {
    const site = lab.newSite();
    const first = await lab.admin.publish(site, { "index.html": "first" });
    const files = { "index.html": "second" };
    const created = await lab.admin.create(site, files);
    await lab.admin.upload(created, files);
    const host = new URL(created.previewUrl).host;
    expect((await ask(lab.server.port, { path: "/", host })).text).toBe("second");
    const live = await lab.admin.visit(site, "/");
    expect([live.text, live.headers["x-deployment-id"]]).toEqual(["first", first]);
  });

  test("deletes deployments that are not live, and sites with all they had", async () => {
    const site = lab.newSite();
    const one = await lab.admin.publish(site, { "index.html": "one" });
    const two = await lab.admin.publish(site, { "index.html": "two" });
    const remove = (path: string) => lab.admin.send({ method: "DELETE", path });
    expect((await remove(`/api/deployments/${two}`)).status).toBe(409);
    expect((await remove(`/api/deployments/${one}`)).status).toBe(200);
    expect((await lab.admin.send({ path: `/api/deployments/${one}` })).status).toBe(404);
    expect((await remove(`/api/sites/${site}`)).status).toBe(200);
    expect((await lab.admin.visit(site, "/")).status).toBe(404);
    expect((await remove(`/api/sites/${site}`)).status).toBe(404);
  });

  test("keeps the live, the last ten and the pinned deployments, and says what expired", async () => {
    const site = lab.newSite();
    const ids: string[] = [];
    for (let index = 0; index < 13; index++) {
      ids.push(await lab.admin.publish(site, { "index.html": `page ${index}` }));
      if (index === 0) await lab.admin.sendJson(`/api/deployments/${ids[0]}/pin`, { pinned: true });
    }
    const { deployments } = (await lab.admin.send({ path: `/api/sites/${site}/deployments` })).json() as {
      deployments: { id: string; status: string }[];
    };
    const statusOf = (id: string | undefined) => deployments.find((found) => found.id === id)?.status;
    expect(statusOf(ids[0])).toBe("superseded");
    expect(statusOf(ids[1])).toBe("expired");
    expect(statusOf(ids[2])).toBe("superseded");
    expect(statusOf(ids[12])).toBe("active");
    expect((await lab.admin.activate(ids[1] ?? "")).status).toBe(409);
    const { events } = (await lab.admin.send({ path: `/api/sites/${site}/events` })).json() as {
      events: { action: string; deployment: string }[];
    };
    expect(events).toContainEqual(expect.objectContaining({ action: "expired", deployment: ids[1] }));
    const dry = (await lab.admin.sendJson("/api/collect", { dryRun: true })).json() as { dryRun: boolean };
    expect(dry.dryRun).toBe(true);
  });

  test("exports a site and imports it under another name, history and bytes included", async () => {
    const site = lab.newSite();
    const one = await lab.admin.publish(site, { "index.html": "one", "ä/x.txt": "umlaut" });
    await lab.admin.publish(site, { "index.html": "two" });
    const archive = await lab.admin.send({ path: `/api/sites/${site}/export` });
    expect([archive.status, archive.headers["content-type"]]).toEqual([200, "application/x-tar"]);
    const copy = lab.newSite();
    const upload = (body: Buffer, name: string) =>
      lab.admin.send({
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
    expect((await lab.admin.visit(copy, "/")).text).toBe("two");
    expect((await upload(archive.body, copy)).status).toBe(409);
    expect(
      (
        await upload(
          Buffer.from(archive.body.toString("latin1").replace("two", "2wo"), "latin1"),
          lab.newSite(),
        )
      ).status,
    ).toBe(400);
    expect((await upload(archive.body.subarray(0, archive.body.length / 2), lab.newSite())).status).toBe(400);
    expect((await upload(Buffer.from("no tar"), lab.newSite())).status).toBe(400);
    const files = await lab.admin.send({ path: `/api/deployments/${one}/files` });
    expect(files.body.includes("ä/x.txt")).toBe(true);
  });

  test("knows no such site, deployment or route", async () => {
    for (const path of ["/api/sites/nowhere", "/api/deployments/0000000000000000", "/api/nothing"])
      expect((await lab.admin.send({ path })).status).toBe(404);
    const wrong = await lab.admin.send({ method: "PATCH", path: "/api/sites" });
    expect([wrong.status, wrong.headers["allow"]]).toEqual([405, "GET"]);
  });
});
