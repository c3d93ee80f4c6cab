import { type Static, Type } from "../../core/schema.ts";
import { PUBLISH_ACTIONS } from "./store.ts";

const closed = { additionalProperties: false } as const;

export const SiteParams = Type.Object({ name: Type.String({ description: "the site's name" }) });
export const DeploymentParams = Type.Object({ id: Type.String({ description: "the deployment's id" }) });

const ManifestEntrySchema = Type.Object({
  path: Type.String({ description: "path in the site, not percent-encoded, as in assets/app.js" }),
  size: Type.Number({ description: "bytes" }),
  contentType: Type.Optional(Type.String()),
  sha256: Type.String({ description: "64 lowercase hex digits" }),
});

export const NewDeploymentBody = Type.Object(
  {
    manifest: Type.Array(ManifestEntrySchema, {
      description: "every file of the site; with `base`, those that are new or changed",
    }),
    base: Type.Optional(
      Type.String({ description: "id of the deployment that `manifest` and `remove` change" }),
    ),
    remove: Type.Optional(Type.Array(Type.String(), { maxItems: 500 })),
    checks: Type.Optional(
      Type.Array(
        Type.Object(
          {
            path: Type.String({ pattern: "^/", maxLength: 1024 }),
            status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
            contains: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
          },
          closed,
        ),
        { maxItems: 20, description: "what its preview must answer before it may go live" },
      ),
    ),
    message: Type.Optional(Type.String({ maxLength: 500 })),
    run: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9-]{8,64}$",
        description: "the run of a worker that publishes it; in a session: NIGHTSHIFT_RUN",
      }),
    ),
    pinned: Type.Optional(Type.Boolean({ description: "kept whatever retention says" })),
    dryRun: Type.Optional(Type.Boolean({ description: "answers the plan and creates nothing" })),
  },
  { additionalProperties: true },
);

export const AssetQuery = Type.Object({
  path: Type.Optional(Type.String()),
  sha256: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$" })),
});

export const PinBody = Type.Object({ pinned: Type.Boolean() }, closed);
export const CollectBody = Type.Object({ dryRun: Type.Optional(Type.Boolean()) }, closed);

const AssetNameView = Type.Object({ path: Type.String(), sha256: Type.String(), size: Type.Integer() });

export const SummaryView = Type.Object({
  id: Type.String(),
  site: Type.String(),
  siteName: Type.String(),
  owner: Type.String(),
  status: Type.Union([
    Type.Literal("pending"),
    Type.Literal("active"),
    Type.Literal("superseded"),
    Type.Literal("expired"),
  ]),
  createdAt: Type.String(),
  activatedAt: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  base: Type.Optional(Type.String()),
  run: Type.Optional(Type.String({ description: "the run of a worker that published it" })),
  pinned: Type.Boolean(),
  digest: Type.String(),
  files: Type.Integer(),
  bytes: Type.Integer(),
  missingFiles: Type.Optional(
    Type.Integer({ description: "in a list, of a pending one: how many files are still to be uploaded" }),
  ),
  previewUrl: Type.String(),
});
export type SummaryView = Static<typeof SummaryView>;

export const DeploymentView = Type.Composite([
  SummaryView,
  Type.Object({
    manifest: Type.Array(ManifestEntrySchema),
    checks: Type.Array(Type.Unknown()),
    missing: Type.Array(AssetNameView),
  }),
]);
export type DeploymentView = Static<typeof DeploymentView>;

export const SiteView = Type.Object({
  name: Type.String(),
  owner: Type.Optional(Type.String()),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  activeDeploymentId: Type.Optional(Type.String()),
  deployments: Type.Integer(),
  siteUrl: Type.String(),
  active: Type.Optional(SummaryView),
});
export type SiteView = Static<typeof SiteView>;

const PlanView = Type.Object({
  added: Type.Array(Type.String()),
  changed: Type.Array(Type.String()),
  removed: Type.Array(Type.String()),
  unchanged: Type.Integer(),
});

export const EventsView = Type.Object({
  events: Type.Array(
    Type.Object({
      at: Type.String(),
      site: Type.String(),
      deployment: Type.Optional(Type.String()),
      action: Type.Union(PUBLISH_ACTIONS.map((action) => Type.Literal(action))),
      by: Type.String(),
      detail: Type.Optional(Type.String({ description: "the note, or the deployment that was live before" })),
    }),
  ),
});
export type EventsView = Static<typeof EventsView>;

export const ChangesView = Type.Composite([
  Type.Object({ from: Type.Union([Type.String(), Type.Null()]), to: Type.String() }),
  PlanView,
]);
export type ChangesView = Static<typeof ChangesView>;

export const SitesView = Type.Object({
  sites: Type.Array(SiteView),
  siteDomain: Type.String(),
  limits: Type.Object({
    maxFiles: Type.Integer(),
    maxFileBytes: Type.Integer(),
    maxSiteBytes: Type.Integer(),
  }),
});
export type SitesView = Static<typeof SitesView>;

export const AssetTakenView = Type.Composite([Type.Object({ ok: Type.Boolean() }), AssetNameView]);

/** What a dry run answers. */
export const PlannedView = Type.Object({
  dryRun: Type.Boolean(),
  site: Type.String(),
  plan: Type.Composite([
    PlanView,
    Type.Object({
      digest: Type.String(),
      missing: Type.Array(AssetNameView),
      bytesToSend: Type.Integer(),
      warnings: Type.Array(Type.String()),
      filesLeft: Type.Integer(),
      bytesLeft: Type.Integer(),
    }),
  ]),
  missing: Type.Array(AssetNameView),
  warnings: Type.Array(Type.String()),
});
export type PlannedView = Static<typeof PlannedView>;

export const CreatedView = Type.Object({
  deployment: DeploymentView,
  siteUrl: Type.String(),
  previewUrl: Type.String(),
  missing: Type.Array(AssetNameView),
  warnings: Type.Array(Type.String()),
  plan: PlanView,
  next: Type.Object({ upload: Type.String(), activate: Type.String() }),
});
export type AssetTakenView = Static<typeof AssetTakenView>;
export type CreatedView = Static<typeof CreatedView>;

export const ActivatedView = Type.Object({
  deployment: DeploymentView,
  siteUrl: Type.String(),
  changed: Type.Boolean({ description: "false where it was live already" }),
  previous: Type.Optional(Type.String()),
});
export type ActivatedView = Static<typeof ActivatedView>;

export const PinnedView = Type.Object({ ok: Type.Boolean(), id: Type.String(), pinned: Type.Boolean() });
export const DeletedView = Type.Object({ ok: Type.Boolean(), id: Type.String() });
export const DeletedSiteView = Type.Object({ ok: Type.Boolean(), name: Type.String() });

export const CollectedView = Type.Object({
  dryRun: Type.Boolean(),
  expired: Type.Array(Type.String()),
  blobs: Type.Integer(),
  bytes: Type.Integer(),
  pruned: Type.Integer({ description: "deployments that expired long ago and are forgotten" }),
});
export type CollectedView = Static<typeof CollectedView>;

export const ImportedView = Type.Object({
  site: Type.String(),
  deployments: Type.Integer(),
  activeDeploymentId: Type.Optional(Type.String()),
});
export type ImportedView = Static<typeof ImportedView>;
