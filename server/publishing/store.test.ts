import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { DATABASES } from "../fixtures/test-server.ts";
import { type TestStores, useStores } from "../fixtures/use-stores.ts";
import { newDeploymentId } from "./deployment.ts";
import type { ManifestEntry } from "./manifest.ts";
import type { NewDeployment, PublishEvent, PublishingStore } from "./store.ts";

const sha = (content: string) => createHash("sha256").update(content).digest("hex");
const entry = (path: string, content: string): ManifestEntry => ({
  path,
  size: content.length,
  contentType: "text/plain",
  sha256: sha(content),
});
const deploymentOf = (site: string, contents: readonly string[], at = 1): NewDeployment => ({
  id: newDeploymentId(),
  site,
  createdAt: at,
  createdBy: "ann",
  message: `${contents.length} files`,
  base: undefined,
  pinned: false,
  digest: sha(contents.join()),
  checks: [{ path: "/", status: 200, contains: "é" }],
  manifest: contents.map((content, index) => entry(`${index}.txt`, content)),
});
const event = (site: string, action: PublishEvent["action"], deployment?: string): PublishEvent => ({
  at: 5,
  site,
  deployment,
  action,
  by: "ann",
  detail: undefined,
});

describe.each(DATABASES)("the publishing store on %s", (database) => {
  const lab = useStores(database);
  const it = test.skipIf(lab.isMissing);
  let opened: TestStores;
  let store: PublishingStore;
  beforeEach(async () => {
    if (lab.isMissing) return;
    opened = await lab.open(() => 1);
    store = opened.stores.store;
  });

  const keepBytes = async (contents: readonly string[], at = 1, site = "docs"): Promise<void> => {
    for (const content of contents) {
      const name = { sha256: sha(content), size: content.length };
      await opened.stores.blobs.put(name, [Buffer.from(content)] as never, () =>
        store.recordBlob(name, at, site),
      );
    }
  };
  const create = async (site: string, contents: readonly string[], at = 1): Promise<string> => {
    const deployment = deploymentOf(site, contents, at);
    expect(await store.createDeployment(deployment)).toEqual({ kind: "created" });
    return deployment.id;
  };
  const publish = async (site: string, contents: readonly string[], at = 1): Promise<string> => {
    const id = await create(site, contents, at);
    await keepBytes(contents, at, site);
    expect(await store.activate({ id, at, by: "ann" })).toMatchObject({ kind: "activated" });
    return id;
  };

  it("gives a deployment back as it was created, its site with it", async () => {
    const deployment = deploymentOf("docs", ["a", "b", "b"], 7);
    await store.createDeployment(deployment);
    expect(await store.findDeployment(deployment.id)).toEqual({
      ...deployment,
      status: "pending",
      activatedAt: undefined,
    });
    expect(await store.findSite("docs")).toEqual({
      name: "docs",
      createdAt: 7,
      updatedAt: 7,
      activeDeploymentId: undefined,
    });
    expect(await store.listSites()).toMatchObject([{ name: "docs", deployments: 1, active: undefined }]);
    expect(await store.findSite("other")).toBeUndefined();
    expect(await store.findDeployment("none")).toBeUndefined();
  });

  it("names each missing blob once, in order of its digest, until it is recorded", async () => {
    const id = await create("docs", ["a", "b", "b", "c"]);
    const all = ["a", "b", "c"].map((content) => ({ sha256: sha(content), size: 1 }));
    const sorted = [...all].sort((x, y) => (x.sha256 < y.sha256 ? -1 : 1));
    expect(await store.listMissing(id)).toEqual(sorted);
    await keepBytes(["b"]);
    expect(await store.listMissing(id)).toEqual(sorted.filter(({ sha256 }) => sha256 !== sha("b")));
    expect(await store.findMissing(all)).toEqual(all.filter(({ sha256 }) => sha256 !== sha("b")));
    expect(await store.activate({ id, at: 2, by: "ann" })).toMatchObject({
      kind: "missing-blobs",
      missing: [{}, {}],
    });
  });

  it("puts one deployment live at a time, and tells what it replaced", async () => {
    const first = await publish("docs", ["a"], 1);
    const second = await create("docs", ["a", "b"], 2);
    await keepBytes(["b"]);
    expect(await store.activate({ id: second, at: 3, by: "bob" })).toEqual({
      kind: "activated",
      previous: first,
    });
    expect(await store.activate({ id: second, at: 4, by: "bob" })).toEqual({ kind: "already-active" });
    expect(await store.findSite("docs")).toMatchObject({ activeDeploymentId: second, updatedAt: 3 });
    expect((await store.listDeployments("docs")).map(({ id, status }) => [id, status])).toEqual([
      [second, "active"],
      [first, "superseded"],
    ]);
    expect((await store.listEvents("docs", 2)).map(({ action, by, detail }) => [action, by, detail])).toEqual(
      [
        ["activated", "bob", first],
        ["created", "ann", "2 files"],
      ],
    );
  });

  it.each([
    ["the live one", (live: string) => [live], "activated"],
    ["any", () => "any" as const, "activated"],
    ["another", () => ["0000000000000000"], "stale"],
    ["none", () => [null], "stale"],
  ])("activates onto %s only when that is what is live", async (_what, expected, kind) => {
    const live = await publish("docs", ["a"], 1);
    const next = await create("docs", ["a"], 2);
    const outcome = await store.activate({ id: next, expectedActive: expected(live), at: 3, by: "ann" });
    expect(outcome).toMatchObject({ kind });
    if (kind === "stale") expect(outcome).toEqual({ kind, active: live });
    const first = await create("new", ["a"], 2);
    await keepBytes(["a"], 2, "new");
    expect(await store.activate({ id: first, expectedActive: "any", at: 3, by: "ann" })).toMatchObject({
      kind: "stale",
    });
    expect(await store.activate({ id: first, expectedActive: [null], at: 3, by: "ann" })).toMatchObject({
      kind: "activated",
    });
  });

  it("refuses an older waiting deployment after a newer went live, and lets a former live one back", async () => {
    const former = await publish("docs", ["a"], 1);
    const older = await create("docs", ["a"], 2);
    const newer = await publish("docs", ["b"], 3);
    expect(await store.activate({ id: older, at: 4, by: "ann" })).toEqual({
      kind: "overtaken",
      active: newer,
    });
    expect(await store.activate({ id: former, at: 5, by: "ann" })).toMatchObject({ kind: "activated" });
    expect(await store.activate({ id: "none", at: 5, by: "ann" })).toEqual({ kind: "not-found" });
  });

  it("creates once for one key, and refuses the key for another request", async () => {
    const key = { token: "tok", key: "k1", request: "digest 1" };
    const first = deploymentOf("docs", ["a"]);
    expect(await store.createDeployment(first, key)).toEqual({ kind: "created" });
    expect(await store.createDeployment(deploymentOf("docs", ["a"]), key)).toEqual({
      kind: "replayed",
      deploymentId: first.id,
    });
    expect(
      await store.createDeployment(deploymentOf("other", ["a"]), { ...key, request: "digest 2" }),
    ).toEqual({ kind: "key-reused" });
    expect(await store.findSite("other")).toBeUndefined();
    await store.prune(1);
    expect(await store.createDeployment(deploymentOf("docs", ["a"]), key)).toEqual({ kind: "created" });
  });

  it("deletes what is not live, and a whole site with its history", async () => {
    const first = await publish("docs", ["a"], 1);
    const second = await publish("docs", ["b"], 2);
    expect(await store.deleteDeployment(second, event("docs", "deleted", second))).toBe(false);
    expect(await store.deleteDeployment(first, event("docs", "deleted", first))).toBe(true);
    expect(await store.deleteDeployment(first, event("docs", "deleted", first))).toBe(false);
    await store.deleteSite("docs", event("docs", "deleted"));
    expect([await store.findSite("docs"), await store.findDeployment(second)]).toEqual([
      undefined,
      undefined,
    ]);
    expect((await store.listEvents("docs", 1))[0]).toEqual(event("docs", "deleted"));
  });

  it("pins, and expires only what is waiting or superseded", async () => {
    const old = await publish("docs", ["a"], 1);
    const live = await publish("docs", ["b"], 2);
    const waiting = await create("docs", ["c"], 3);
    await store.setPinned(old, true, event("docs", "pinned", old));
    expect((await store.listCandidates("docs")).find(({ id }) => id === old)?.pinned).toBe(true);
    await store.expire([old, live, waiting], 10);
    const statuses = (await store.listDeployments("docs")).map(({ id, status }) => [id, status]);
    expect(Object.fromEntries(statuses)).toEqual({
      [old]: "expired",
      [live]: "active",
      [waiting]: "expired",
    });
    expect(await store.activate({ id: old, at: 11, by: "ann" })).toEqual({ kind: "expired" });
    expect(await store.prune(9)).toBe(0);
    expect(await store.prune(10)).toBe(2);
    expect(await store.findDeployment(old)).toBeUndefined();
  });

  it("forgets a blob only when nothing needs it and nobody used it lately", async () => {
    await publish("docs", ["a"], 1);
    await publish("docs", ["b"], 2);
    await store.expire([(await store.listDeployments("docs"))[1]?.id ?? ""], 10);
    expect(await store.listUnused(9)).toEqual([]);
    expect(await store.listUnused(10)).toEqual([{ sha256: sha("a"), size: 1 }]);
    expect(await store.forgetBlob(sha("a"), 9)).toBe(false);
    expect(await store.forgetBlob(sha("b"), 99)).toBe(false);
    expect(await store.forgetBlob(sha("a"), 10)).toBe(true);
    expect(await store.forgetBlob(sha("never there"), 0)).toBe(true);
    expect(await store.findMissing([{ sha256: sha("a"), size: 1 }])).toHaveLength(1);
  });

  it("imports a history as it was elsewhere, once", async () => {
    await keepBytes(["a", "b"]);
    const history = [
      { ...deploymentOf("moved", ["a"], 1), status: "superseded" as const, activatedAt: 1 },
      { ...deploymentOf("moved", ["b"], 2), status: "active" as const, activatedAt: 2 },
    ];
    const site = { name: "moved", createdAt: 1, updatedAt: 2, activeDeploymentId: history[1]?.id };
    expect(await store.importSite(site, history, event("moved", "imported"))).toBe(true);
    expect(await store.importSite(site, history, event("moved", "imported"))).toBe(false);
    expect(await store.findSite("moved")).toEqual(site);
    expect((await store.listDeployments("moved")).map(({ status }) => status)).toEqual([
      "active",
      "superseded",
    ]);
    expect((await store.listSites())[0]?.active?.id).toBe(site.activeDeploymentId);
  });

  it("lists sites by their last change, then by name in byte order", async () => {
    for (const name of ["b", "a-1", "a1", "z"]) await create(name, ["x"], name === "z" ? 9 : 3);
    expect((await store.listSites()).map(({ name }) => name)).toEqual(["z", "a-1", "a1", "b"]);
  });

  it("of an activation and an expiry at the same time one happens, whichever servers they come from", async () => {
    const other = (await opened.another()).store;
    for (let round = 0; round < 15; round++) {
      const id = await create("docs", ["a"], round + 1);
      await keepBytes(["a"], round + 1);
      const [outcome] = await Promise.all([
        store.activate({ id, at: round + 2, by: "ann" }),
        other.expire([id], round + 2),
      ]);
      const isLive = (await store.findSite("docs"))?.activeDeploymentId === id;
      expect([outcome.kind, isLive, (await store.findDeployment(id))?.status]).toEqual(
        isLive ? ["activated", true, "active"] : ["expired", false, "expired"],
      );
    }
  });

  it("sites are created, published and deleted at the same time without anybody's failure", async () => {
    const other = (await opened.another()).store;
    await keepBytes(["a", "b"]);
    for (let round = 0; round < 15; round++) {
      const [first, second] = [deploymentOf("docs", ["a", "b"]), deploymentOf("docs", ["b", "a"])];
      const results = await Promise.allSettled([
        store.createDeployment(first),
        other.createDeployment(second),
        other.deleteSite("docs", event("docs", "deleted")),
        store.activate({ id: first.id, at: 2, by: "ann" }),
        other.deleteDeployment(first.id, event("docs", "deleted", first.id)),
        store.expire([second.id], 3),
      ]);
      expect(results.filter((result) => result.status === "rejected")).toEqual([]);
      const site = await store.findSite("docs");
      const listed = await other.listDeployments("docs");
      expect(listed.find(({ status }) => status === "active")?.id).toBe(site?.activeDeploymentId);
    }
  });

  it("a blob is forgotten or counted on, never both", async () => {
    const other = (await opened.another()).store;
    for (let round = 1; round <= 15; round++) {
      await keepBytes(["fought for"], round);
      const deployment = deploymentOf(`site-${round}`, ["fought for"], 1000);
      const [forgotten] = await Promise.all([
        other.forgetBlob(sha("fought for"), 999),
        store.createDeployment(deployment),
      ]);
      const unknown = await store.findMissing([{ sha256: sha("fought for"), size: 10 }]);
      expect([round, unknown.length]).toEqual([round, forgotten ? 1 : 0]);
      await store.deleteSite(deployment.site, event(deployment.site, "deleted"));
      await opened.meddle("UPDATE blobs SET used_at = 0");
    }
  });
});
