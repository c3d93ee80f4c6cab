import type { BlobStore } from "../blobs/blobs.ts";
import type { Limits } from "./limits.ts";
import type { Quota } from "./quota.ts";
import type { RetentionRules } from "./retention.ts";
import type { PublishingStore } from "./store.ts";

/** What a preview answered to one of a deployment's checks. */
export type PreviewAnswer = { status: number; text: string };

/** What publishing needs of the rest; built once where the server starts. */
export type PublishingPorts = {
  store: PublishingStore;
  blobs: BlobStore;
  limits: Limits;
  quota: Quota;
  retention: RetentionRules;
  now: () => number;
  /** Asks a deployment for a path as a browser would ask its preview. */
  fetchPreview: (deploymentId: string, path: string) => Promise<PreviewAnswer>;
  /** Makes what the store now says of a site what visitors get; resolves when they do. */
  refreshSite: (site: string) => Promise<void>;
  /** Steps of an activation; a crash test ends the process at each of them. */
  onStep?: ((step: "activation-checked" | "activation-committed" | "activation-live") => void) | undefined;
};
