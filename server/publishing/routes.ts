import { Elysia } from "elysia";
import type { ErrorCode } from "../../core/error-codes.ts";
import { Type } from "../../core/schema.ts";
import { type AuthPorts, signedInFirst } from "../auth/authenticate.ts";
import { documented, type RouteDocs } from "../http/route-docs.ts";
import type { PublishingApi } from "./api.ts";
import type { createAssetReceiver } from "./receive-asset.ts";
import {
  ActivatedView,
  AssetQuery,
  AssetTakenView,
  CollectBody,
  CollectedView,
  ChangesView,
  CreatedView,
  DeletedSiteView,
  DeletedView,
  DeploymentParams,
  DeploymentView,
  EventsView,
  NewDeploymentBody,
  PinBody,
  PinnedView,
  type PlannedView,
  SiteParams,
  SitesView,
  SiteView,
  SummaryView,
} from "./schemas.ts";

type Ports = {
  auth: AuthPorts;
  api: PublishingApi;
  receiveAsset: ReturnType<typeof createAssetReceiver>;
};

const REFUSALS: ErrorCode[] = ["unauthorized", "forbidden", "not-found"];

/** The route reads no body; a tool's POST must declare one. */
const NO_BODY = {
  required: false,
  schema: {
    type: "object",
    properties: {},
    additionalProperties: false,
    description: "Takes no fields.",
  },
};

const docs = (about: Omit<RouteDocs, "auth" | "errors"> & { errors?: ErrorCode[] }) =>
  documented({ errors: REFUSALS, ...about, auth: true });

/** The publishing API. */
export const publishingRoutes = ({ auth, api, receiveAsset }: Ports) => {
  const signedIn = signedInFirst(auth);
  return new Elysia({ name: "publishing", tags: ["publishing"] })
    .get(
      "/api/sites",
      ({ request }) => api.listSites(request),
      docs({
        summary: "List sites, the last changed first",
        tool: { name: "listSites" },
        response: SitesView,
        errors: ["unauthorized"],
      }),
    )
    .get("/api/sites/:name", ({ request, params }) => api.getSite(request, params.name), {
      params: SiteParams,
      ...docs({
        summary: "One site and what is live on it",
        tool: { name: "getSite" },
        response: SiteView,
      }),
    })
    .get("/api/sites/:name/deployments", ({ request, params }) => api.listDeployments(request, params.name), {
      params: SiteParams,
      ...docs({
        summary: "A site's deployments, the newest first",
        tool: { name: "listDeployments" },
        response: Type.Object({ deployments: Type.Array(SummaryView) }),
      }),
    })
    .get("/api/sites/:name/events", ({ request, params }) => api.listEvents(request, params.name), {
      params: SiteParams,
      ...docs({
        summary: "What happened to a site, and by whose token",
        response: EventsView,
      }),
    })
    .post(
      "/api/sites/:name/deployments",
      async ({ request, params, body, set }): Promise<CreatedView | PlannedView> => {
        const { dryRun, ...wanted } = body;
        if (dryRun === true) return api.plan(request, params.name, wanted);
        const { isReplay, ...created } = await api.create(request, params.name, wanted);
        set.status = 201;
        if (isReplay) set.headers["idempotency-replayed"] = "true";
        return created;
      },
      {
        params: SiteParams,
        ...signedIn.json,
        body: NewDeploymentBody,
        ...docs({
          summary: "Create a deployment from a manifest, or with dryRun see what it would change",
          description:
            "Answers which bytes are missing; upload those, then activate. Send Idempotency-Key to make a repeated request give the same deployment.",
          status: 201,
          response: CreatedView,
          errors: ["bad-data", "unauthorized", "forbidden", "conflict", "too-large"],
        }),
      },
    )
    .delete("/api/sites/:name", ({ request, params }) => api.deleteSite(request, params.name), {
      params: SiteParams,
      ...docs({
        summary: "Delete a site with its whole history",
        response: DeletedSiteView,
      }),
    })
    .get("/api/deployments/:id", ({ request, params }) => api.get(request, params.id), {
      params: DeploymentParams,
      ...docs({
        summary: "One deployment: its files, and which of them are missing",
        tool: { name: "getDeployment" },
        response: DeploymentView,
      }),
    })
    .get(
      "/api/deployments/:id/changes",
      ({ request, params, query }) => api.changes(request, params.id, query.from),
      {
        params: DeploymentParams,
        ...signedIn.plain,
        query: Type.Object({
          from: Type.Optional(Type.String({ description: "compare with this one; else with the live one" })),
        }),
        ...docs({
          summary: "What activating a deployment would change",
          tool: { name: "compareDeployment" },
          response: ChangesView,
        }),
      },
    )
    .put("/api/deployments/:id/assets", ({ request, params }) => receiveAsset(request, params.id), {
      params: DeploymentParams,
      ...signedIn.plain,
      query: AssetQuery,
      parse: "none",
      ...docs({
        summary: "Upload one asset: the file's raw bytes",
        description: "Named by ?path= or ?sha256=. Content-Digest is honoured. Sending it again is harmless.",
        response: AssetTakenView,
        errors: ["bad-data", ...REFUSALS, "conflict", "too-large", "unsupported-media-type", "timeout"],
      }),
    })
    .post("/api/deployments/:id/activate", ({ request, params }) => api.activate(request, params.id), {
      params: DeploymentParams,
      parse: "none",
      ...docs({
        summary: "Put a deployment live, atomically; to roll back, activate an older one",
        tool: { name: "activateDeployment", changes: true, body: NO_BODY },
        description:
          'With If-Match: "<id of the live deployment>" it only happens while that one is still live.',
        response: ActivatedView,
        errors: [...REFUSALS, "conflict", "precondition-failed"],
      }),
    })
    .post(
      "/api/deployments/:id/pin",
      ({ request, params, body }) => api.pin(request, params.id, body.pinned),
      {
        params: DeploymentParams,
        ...signedIn.json,
        body: PinBody,
        ...docs({
          summary: "Keep a deployment whatever retention says, or no longer",
          response: PinnedView,
        }),
      },
    )
    .delete("/api/deployments/:id", ({ request, params }) => api.deleteDeployment(request, params.id), {
      params: DeploymentParams,
      ...docs({
        summary: "Delete a deployment that is not live",
        tool: { name: "removeDeployment", changes: true },
        response: DeletedView,
        errors: [...REFUSALS, "conflict"],
      }),
    })
    .post("/api/collect", ({ request, body }) => api.collect(request, body?.dryRun ?? false), {
      ...signedIn.json,
      body: Type.Optional(CollectBody),
      ...docs({
        summary:
          "Expire what retention no longer keeps and remove bytes nobody needs; with dryRun only say so",
        response: CollectedView,
        errors: ["unauthorized", "forbidden"],
      }),
    });
};
