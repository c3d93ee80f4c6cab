import type { BlobStore } from "../blobs/blobs.ts";
import type { PublishingStore } from "./store.ts";
import type { SiteFeed } from "./site-feed.ts";

/** Where publishing is kept, whichever database that is. */
export type PublishingStores = {
  store: PublishingStore;
  blobs: BlobStore;
  /** what other servers change; none when the database is this server's own */
  feed?: SiteFeed;
  /** Removes what is of no use to anybody, left by killed servers and by time. */
  tidy: () => Promise<void>;
  /** Lets go of everything but the database itself. */
  close: () => Promise<void>;
};
