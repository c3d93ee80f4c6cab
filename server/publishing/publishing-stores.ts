import type { TokenStore } from "../auth/token-store.ts";
import type { ApprovalStore } from "../companion/approval-store.ts";
import type { BlobStore } from "../blobs/blobs.ts";
import type { PublishingStore } from "./store.ts";
import type { RateLimiters } from "../auth/rate-limit.ts";
import type { SiteFeed } from "./site-feed.ts";

/** Where publishing and who may do it are kept, whichever database that is. */
export type PublishingStores = {
  store: PublishingStore;
  blobs: BlobStore;
  tokens: TokenStore;
  approvals: ApprovalStore;
  limiters: RateLimiters;
  /** what other servers change; none when the database is this server's own */
  feed?: SiteFeed;
  /** Removes what is of no use to anybody, left by killed servers and by time. */
  tidy: () => Promise<void>;
  /** Lets go of everything but the database itself. */
  close: () => Promise<void>;
};
