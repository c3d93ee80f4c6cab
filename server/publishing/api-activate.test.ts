import { expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { faultsOf } from "../fixtures/http-client.ts";

describeServers("activating", (lab) => {
  test("does not activate what is incomplete, and says what is missing", async () => {
    const site = lab.newSite();
    const first = await lab.admin.publish(site, { "index.html": "one" });
    const created = await lab.admin.create(site, { "index.html": "one", "late.txt": `late ${site}` });
    const refused = await lab.admin.activate(created.deployment.id);
    expect(refused.status).toBe(409);
    expect(refused.json()).toMatchObject({
      error: expect.stringMatching(/^All manifest assets must be uploaded before activation/) as string,
      missing: [{ path: "late.txt" }],
    });
    expect((await lab.admin.visit(site, "/")).headers["x-deployment-id"]).toBe(first);
  });

  test("activates twice as once, and goes back by activating an older one", async () => {
    const site = lab.newSite();
    const one = await lab.admin.publish(site, { "index.html": "one" });
    const two = await lab.admin.publish(site, { "index.html": "two" });
    const again = await lab.admin.activate(two);
    expect([again.status, again.json()]).toEqual([200, expect.objectContaining({ changed: false })]);
    const back = await lab.admin.activate(one);
    expect(back.json()).toMatchObject({ changed: true, previous: two, deployment: { status: "active" } });
    expect((await lab.admin.visit(site, "/")).text).toBe("one");
    const { deployments } = (await lab.admin.send({ path: `/api/sites/${site}/deployments` })).json() as {
      deployments: { id: string; status: string }[];
    };
    expect(deployments.map(({ id, status }) => [id, status])).toEqual([
      [two, "superseded"],
      [one, "active"],
    ]);
  });

  test("changes nothing when If-Match names another deployment than the live one", async () => {
    const site = lab.newSite();
    const one = await lab.admin.publish(site, { "index.html": "one" });
    const two = await lab.admin.publish(site, { "index.html": "two" });
    const files = { "index.html": "three" };
    const created = await lab.admin.create(site, files);
    await lab.admin.upload(created, files);
    const stale = await lab.admin.activate(created.deployment.id, { "if-match": `"${one}"` });
    expect([stale.status, stale.json()]).toEqual([412, expect.objectContaining({ activeDeploymentId: two })]);
    expect((await lab.admin.visit(site, "/")).text).toBe("two");
    expect((await lab.admin.activate(created.deployment.id, { "if-match": "nonsense" })).status).toBe(400);
    expect((await lab.admin.activate(created.deployment.id, { "if-none-match": "*" })).status).toBe(412);
    expect(
      (await lab.admin.activate(created.deployment.id, { "if-match": `"${one}", "${two}"` })).status,
    ).toBe(200);
  });

  test("does not let an older waiting deployment silently replace a newer one", async () => {
    const site = lab.newSite();
    const older = await lab.admin.create(site, { "index.html": "waiting" });
    const newer = await lab.admin.publish(site, { "index.html": "newer" });
    await lab.admin.upload(older, { "index.html": "waiting" });
    const refused = await lab.admin.activate(older.deployment.id);
    expect([refused.status, refused.json()]).toEqual([
      409,
      expect.objectContaining({ activeDeploymentId: newer }),
    ]);
    expect((await lab.admin.activate(older.deployment.id, { "if-match": `"${newer}"` })).status).toBe(200);
  });

  test("lets exactly one of two racing activations win when both expect the same", async () => {
    const site = lab.newSite();
    const live = await lab.admin.publish(site, { "index.html": "live" });
    const rivals = await Promise.all(
      ["a", "b"].map(async (name) => {
        const created = await lab.admin.create(site, { "index.html": `${name}${site}` });
        await lab.admin.upload(created, { "index.html": `${name}${site}` });
        return created.deployment.id;
      }),
    );
    const answers = await Promise.all(
      rivals.map((id) => lab.admin.activate(id, { "if-match": `"${live}"` })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
  });

  test("puts a deployment live only when its checks pass on the preview", async () => {
    const site = lab.newSite();
    await lab.admin.publish(site, { "index.html": "good" });
    const failing = await lab.admin.create(
      site,
      { "index.html": "broken" },
      {
        checks: [{ path: "/", contains: "good" }, { path: "/nowhere" }, { path: "/nowhere", status: 404 }],
      },
    );
    await lab.admin.upload(failing, { "index.html": "broken" });
    const refused = await lab.admin.activate(failing.deployment.id);
    expect(refused.status).toBe(409);
    expect(faultsOf(refused).map(({ path }) => path)).toEqual(["/checks/0", "/checks/1"]);
    expect((await lab.admin.visit(site, "/")).text).toBe("good");
    const passing = await lab.admin.create(
      site,
      { "index.html": "good too" },
      { checks: [{ path: "/", contains: "good" }] },
    );
    await lab.admin.upload(passing, { "index.html": "good too" });
    expect((await lab.admin.activate(passing.deployment.id)).status).toBe(200);
  });
});
