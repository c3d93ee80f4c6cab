import { expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { ask, createPublisher, faultsOf, manifestOf } from "../fixtures/http-client.ts";

describeServers("tokens", (lab) => {
  const newToken = async (request: Record<string, unknown>) => {
    const answer = await lab.admin.sendJson("/api/tokens", request);
    expect(answer.status).toBe(201);
    return answer.json() as { id: string; token: string };
  };
  const as = (token: string) => createPublisher(lab.server.port, token);

  test("keeps tokens to their actions and their site", async () => {
    const [mine, other] = [lab.newSite(), lab.newSite()];
    await lab.admin.publish(other, { "index.html": "other" });
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
    const foreign = await lab.admin.create(other, { "index.html": "foreign" });
    expect((await uploader.send({ path: `/api/deployments/${foreign.deployment.id}` })).status).toBe(404);
    expect((await uploader.put(foreign.deployment.id, "index.html", "foreign")).status).toBe(404);
    expect((await uploader.send({ path: "/api/tokens" })).status).toBe(403);
    expect((await uploader.sendJson("/api/tokens", { actions: ["admin"] })).status).toBe(403);
    const { sites } = (await uploader.send({ path: "/api/sites" })).json() as { sites: { name: string }[] };
    expect(sites.map(({ name }) => name)).toEqual([mine]);
    const releaser = as((await newToken({ site: mine, actions: ["activate"] })).token);
    expect((await releaser.activate(created.deployment.id)).status).toBe(200);
  });

  test.each(["", "Bearer", "Bearer x", `Bearer nightshift_${"A".repeat(43)}00000000`, "Basic eDp5"])(
    "answers 401 with a challenge to the Authorization %j",
    async (authorization) => {
      const answer = await ask(lab.server.port, {
        path: "/api/sites",
        headers: authorization ? { authorization } : {},
      });
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
    },
  );

  test("ends a token when it is revoked", async () => {
    const { id, token } = await newToken({ actions: ["upload"], expiresInSeconds: 60 });
    expect((await as(token).send({ path: "/api/me" })).status).toBe(200);
    expect((await lab.admin.send({ method: "DELETE", path: `/api/tokens/${id}` })).status).toBe(200);
    expect((await as(token).send({ path: "/api/me" })).status).toBe(401);
    expect((await lab.admin.send({ method: "DELETE", path: `/api/tokens/${id}` })).status).toBe(404);
  });

  test("lists every fault of a token request at once", async () => {
    const answer = await lab.admin.sendJson("/api/tokens", {
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
});
