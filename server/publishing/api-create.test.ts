import { expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { faultsOf, manifestOf, sha256 } from "../fixtures/http-client.ts";

const MIB = 1024 * 1024;
const PAGE = "<!doctype html><title>one</title>one";

describeServers("creating deployments", (lab) => {
  test("asks only for bytes that the site does not have yet", async () => {
    const shared = `shared ${lab.name}`;
    const site = lab.newSite();
    await lab.admin.publish(site, { "index.html": PAGE, "a.txt": shared });
    const created = await lab.admin.create(site, {
      "index.html": PAGE,
      "b.txt": shared,
      "c.txt": "new",
    });
    expect(created.missing.map(({ path }) => path)).toEqual(["c.txt"]);
  });

  test("lists every fault of a manifest in one answer, with file, limit and value", async () => {
    const manifest = [
      { path: "../up.html", size: 1, sha256: "0".repeat(64) },
      { path: "big.bin", size: 10 * MIB + 1, sha256: "1".repeat(64) },
      { path: "bad.txt", size: 1.5, sha256: "XYZ" },
      { path: "Twin.txt", size: 1, sha256: "2".repeat(64) },
      { path: "twin.txt", size: 1, sha256: "2".repeat(64) },
      { path: ".env", size: 1, sha256: "3".repeat(64) },
      { path: "twin.txt/file", size: 1, sha256: "4".repeat(64) },
    ];
    const answer = await lab.admin.sendJson(`/api/sites/${lab.newSite()}/deployments`, { manifest });
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

  test.each([
    ["501 files", { count: 501, size: 1 }, { limit: 500, value: 501 }],
    ["more than 50 MiB in all", { count: 6, size: 9 * MIB }, { limit: 50 * MIB, value: 54 * MIB }],
    ["no file at all", { count: 0, size: 0 }, { limit: 500, value: 0 }],
  ])("refuses %s", async (_what, { count, size }, expected) => {
    const manifest = Array.from({ length: count }, (_, index) => ({
      path: index === 0 ? "index.html" : `${index}.txt`,
      size,
      sha256: sha256(String(index)),
    }));
    const answer = await lab.admin.sendJson(`/api/sites/${lab.newSite()}/deployments`, { manifest });
    expect(answer.status).toBe(400);
    expect(faultsOf(answer)).toContainEqual(expect.objectContaining(expected));
  });

  test("takes exactly 500 files, 10 MiB in one and 50 MiB in all", async () => {
    const manifest = Array.from({ length: 500 }, (_, index) => ({
      path: index === 0 ? "index.html" : `${index}.txt`,
      size: index < 5 ? 10 * MIB : 0,
      sha256: index < 5 ? sha256(`limit ${index}`) : sha256(""),
    }));
    const answer = await lab.admin.sendJson(`/api/sites/${lab.newSite()}/deployments`, { manifest });
    expect(answer.status).toBe(201);
  });

  test("refuses a site without index.html at its top", async () => {
    const manifest = manifestOf({ "pages/index.html": PAGE });
    const answer = await lab.admin.sendJson(`/api/sites/${lab.newSite()}/deployments`, { manifest });
    expect([answer.status, faultsOf(answer)[0]?.message]).toEqual([
      400,
      expect.stringContaining("index.html is required"),
    ]);
  });

  test.each(["Www", "a--b", "-a", "a_b", "api", "a.b"])("refuses the site name %s", async (name) => {
    const answer = await lab.admin.sendJson(`/api/sites/${name}/deployments`, {
      manifest: manifestOf({ "index.html": PAGE }),
    });
    expect([answer.status, faultsOf(answer)[0]?.path]).toEqual([400, "/name"]);
  });

  test("refuses a body that is not JSON, or not a manifest", async () => {
    const path = `/api/sites/${lab.newSite()}/deployments`;
    const headers = { "content-type": "application/json" };
    expect((await lab.admin.send({ method: "POST", path, body: "{", headers })).status).toBe(400);
    const wrong = await lab.admin.sendJson(path, { manifest: [{ path: 1 }], dryRun: "yes" });
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

  test("answers the plan of a dry run and creates nothing", async () => {
    const site = lab.newSite();
    await lab.admin.publish(site, { "index.html": "one", "gone.txt": "x", "same.txt": "same" });
    const files = { "index.html": `two ${site}`, "same.txt": "same", "new.pem": "k" };
    const answer = await lab.admin.sendJson(`/api/sites/${site}/deployments`, {
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
    const list = (await lab.admin.send({ path: `/api/sites/${site}/deployments` })).json() as {
      deployments: unknown[];
    };
    expect(list.deployments).toHaveLength(1);
  });

  test("builds a deployment from a base and a patch", async () => {
    const site = lab.newSite();
    const base = await lab.admin.publish(site, { "index.html": "one", "a.txt": "a", "b.txt": "b" });
    const created = await lab.admin.create(
      site,
      { "b.txt": "b2", "c.txt": "c" },
      { base, remove: ["a.txt"] },
    );
    expect(created.deployment.manifest.map(({ path }) => path)).toEqual(["b.txt", "c.txt", "index.html"]);
    const wrong = await lab.admin.sendJson(`/api/sites/${site}/deployments`, {
      manifest: [],
      base,
      remove: ["zz"],
    });
    expect(faultsOf(wrong)[0]?.path).toBe("/remove/0");
    const foreign = await lab.admin.sendJson(`/api/sites/${lab.newSite()}/deployments`, {
      manifest: [],
      base,
    });
    expect(faultsOf(foreign)[0]?.path).toBe("/base");
  });

  test("gives the same deployment for the same Idempotency-Key, and refuses the key for another request", async () => {
    const site = lab.newSite();
    const send = (text: string) =>
      lab.admin.sendJson(
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
  });
});
