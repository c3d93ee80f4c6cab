import { expect, test } from "vitest";
import { describeServers, type ServerLab } from "../fixtures/describe-servers.ts";
import { manifestOf } from "../fixtures/http-client.ts";

const MIB = 1024 * 1024;
const fill = (letter: string) => Buffer.alloc(Math.floor(MIB * 0.7), letter);

const LIMITS = { SITE_QUOTA_MIB: "2", STORAGE_QUOTA_MIB: "3" };

const quotas = (lab: ServerLab): void => {
  test("a site and all sites together keep no more than they may, each file counted once", async () => {
    const ask = (site: string, letter: string, dryRun = false) =>
      lab.admin.sendJson(`/api/sites/${site}/deployments`, {
        manifest: manifestOf({ "index.html": "<p>", "film.bin": fill(letter) }),
        dryRun,
      });
    await lab.admin.publish("one", { "index.html": "<p>", "film.bin": fill("a") });
    await lab.admin.publish("one", { "index.html": "<p>", "film.bin": fill("b") });
    const full = await ask("one", "c", true);
    expect([full.status, (full.json() as { error: string }).error]).toEqual([
      507,
      "The site one would keep 2.1 MiB; its limit is 2.0 MiB. Delete or unpin deployments of it, or raise SITE_QUOTA_MIB",
    ]);
    expect((await ask("one", "c")).status).toBe(507);
    expect((await ask("one", "a")).status).toBe(201);
    // What is announced takes its room: two more sites fit one file each, and of all files a third is too much.
    expect((await ask("two", "c")).status).toBe(201);
    expect((await ask("three", "d")).status).toBe(201);
    const all = await ask("four", "e");
    expect([all.status, (all.json() as { code: string }).code]).toEqual([507, "storage-full"]);
    expect((await ask("four", "a")).status).toBe(201);
    await lab.admin.send({ method: "DELETE", path: "/api/sites/three" });
    expect((await ask("four", "e")).status).toBe(201);
  });

  test("of many deployments asked for at the same time no more are made than fit", async () => {
    const answers = await Promise.all(
      ["p", "q", "r", "s", "t", "u"].map((letter) =>
        lab.admin.sendJson("/api/sites/four/deployments", {
          manifest: manifestOf({ "index.html": "<p>", "film.bin": fill(letter) }),
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(0);
    await lab.admin.send({ method: "DELETE", path: "/api/sites/two" });
    const again = await Promise.all(
      ["p", "q", "r", "s", "t", "u"].map((letter) =>
        lab.admin.sendJson("/api/sites/five/deployments", {
          manifest: manifestOf({ "index.html": "<p>", "film.bin": fill(letter) }),
        }),
      ),
    );
    expect(again.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 507, 507, 507, 507, 507]);
  });
};

describeServers("storage quotas", quotas, LIMITS);
