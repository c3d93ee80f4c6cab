import { Elysia } from "elysia";
import { AppError } from "../../../core/errors.ts";
import { Type } from "../../../core/schema.ts";
import {
  authenticate,
  type AuthPorts,
  maySee,
  requireAction,
  signedInFirst,
} from "../../auth/authenticate.ts";
import { documented } from "../../http/route-docs.ts";
import type { PublishingPorts } from "../ports.ts";
import { DeploymentParams, ImportedView, SiteParams } from "../schemas.ts";
import { parseSiteName } from "../../../core/site-name.ts";
import { readUpload } from "../upload-body.ts";
import { toWebStream } from "../../http/web-stream.ts";

type Ports = { publishing: PublishingPorts; auth: AuthPorts };

const tarAnswer = (archive: AsyncIterable<unknown>, fileName: string): Response =>
  new Response(toWebStream(archive), {
    headers: {
      "content-type": "application/x-tar",
      "content-disposition": `attachment; filename="${fileName}"`,
      "cache-control": "no-store",
    },
  });

// Loaded when asked for: reading and writing tar files is not what a start should wait for.
const loadExport = () => import("./export-site.ts");

const TAR = {
  contentType: "application/x-tar",
  response: Type.String(),
};

const IMPORT_PACE = { idleMs: 20_000, startMs: 3_600_000, minBytesPerSecond: 1 };

/** Whole sites and trees as tar files, out and in. */
export const archiveRoutes = ({ publishing, auth }: Ports) =>
  new Elysia({ name: "publishing-archives", tags: ["publishing"] })
    .get(
      "/api/sites/:name/export",
      async ({ request, params }) => {
        const principal = await authenticate(auth, request);
        const name = parseSiteName(params.name);
        if (!maySee(principal, name)) throw new AppError("not-found", `There is no site ${name}`);
        const { exportSite } = await loadExport();
        return tarAnswer(await exportSite(publishing, name), `${name}.nightshift.tar`);
      },
      {
        params: SiteParams,
        ...documented({
          ...TAR,
          summary: "A site with its history as one tar",
          auth: true,
          errors: ["unauthorized", "not-found"],
        }),
      },
    )
    .get(
      "/api/deployments/:id/files",
      async ({ request, params }) => {
        const principal = await authenticate(auth, request);
        const deployment = await publishing.store.findDeployment(params.id);
        if (!deployment || !maySee(principal, deployment.site))
          throw new AppError("not-found", `There is no deployment ${params.id.slice(0, 80)}`);
        if ((await publishing.store.listMissing(deployment.id)).length > 0)
          throw new AppError("conflict", `${deployment.id} is not complete: some of its files are not here`);
        const { exportFiles } = await loadExport();
        return tarAnswer(
          await exportFiles(publishing, deployment),
          `${deployment.site}-${deployment.id}.tar`,
        );
      },
      {
        params: DeploymentParams,
        ...documented({
          ...TAR,
          summary: "The files of one deployment as one tar",
          auth: true,
          errors: ["unauthorized", "not-found", "conflict"],
        }),
      },
    )
    .post(
      "/api/import",
      async ({ request, query, set }) => {
        const principal = await authenticate(auth, request);
        requireAction(principal, "admin");
        const body = readUpload(request.body, 0, IMPORT_PACE);
        const { importSite } = await import("./import-site.ts");
        const imported = await importSite(publishing, body, { name: query.name, by: principal.label });
        set.status = 201;
        return imported;
      },
      {
        ...signedInFirst(auth).plain,
        query: Type.Object({
          name: Type.Optional(Type.String({ description: "another name than the exported one" })),
        }),
        parse: "none",
        ...documented({
          summary: "Add a site from an exported tar",
          auth: true,
          status: 201,
          response: ImportedView,
          errors: ["bad-data", "unauthorized", "forbidden", "conflict"],
        }),
      },
    );
