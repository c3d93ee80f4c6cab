import { createHash } from "node:crypto";
import { RUN } from "./workers.ts";
import type { Teller } from "./tell.ts";

const at = { name: "docs" };

/** Publishes one page of a site. */
const publish = async ({ tell, admin: as }: Teller, page: string, rest: object = {}): Promise<string> => {
  const sha256 = createHash("sha256").update(page).digest("hex");
  const manifest = [{ path: "index.html", size: page.length, sha256 }];
  const { deployment } = await tell<{ deployment: { id: string } }>("POST /api/sites/{name}/deployments", {
    as,
    at,
    body: { manifest, ...rest },
  });
  await tell("PUT /api/deployments/{id}/assets", {
    as,
    at: deployment,
    query: { path: "index.html" },
    body: page,
    headers: { "content-type": "text/html" },
  });
  return deployment.id;
};

/** A site that is published twice, looked at, taken away and brought back. */
export const tellPublishing = async (teller: Teller): Promise<void> => {
  const { tell, admin: as } = teller;
  const first = { id: await publish(teller, "<h1>Docs</h1>\n", { message: "The first page", run: RUN }) };
  await tell("GET /api/deployments/{id}/changes", { as, at: first });
  await tell("POST /api/deployments/{id}/activate", { as, at: first });
  const second = { id: await publish(teller, "<h1>The docs</h1>\n") };
  await tell("GET /api/deployments/{id}", { as, at: first });
  await tell("GET /api/sites", { as });
  await tell("GET /api/sites/{name}", { as, at });
  await tell("GET /api/sites/{name}/deployments", { as, at });
  await tell("GET /api/sites/{name}/events", { as, at });
  await tell("GET /api/deployments/{id}/files", { as, at: first });
  await tell("POST /api/deployments/{id}/pin", { as, at: second, body: { pinned: true } });
  const tar = await tell<string>("GET /api/sites/{name}/export", { as, at });
  const headers = { "content-type": "application/x-tar" };
  await tell("POST /api/import", { as, query: { name: "docs-copy" }, body: tar, headers });
  await tell("DELETE /api/deployments/{id}", { as, at: second });
  await tell("DELETE /api/sites/{name}", { as, at: { name: "docs-copy" } });
  await tell("POST /api/collect", { as, body: { dryRun: true } });
};
