import { join } from "node:path";
import { openBlobFiles } from "../blobs/blob-files.ts";
import { createPostgresBlobs } from "../blobs/blobs-postgres.ts";
import type { BlobStep } from "../blobs/blobs.ts";
import type { Postgres } from "../../db/postgres/postgres.ts";
import { statementsOnPostgres } from "../../db/statements.ts";
import { createPublishingStore } from "./create-store.ts";
import { readSiteStates, SITES_CHANNEL } from "./store-sites.ts";
import type { PublishingStores } from "./publishing-stores.ts";

type Inputs = { home: string; now: () => number; onStep?: ((step: BlobStep) => void) | undefined };

/** Publishing in a PostgreSQL that any number of servers share. */
export const openPostgresPublishing = async (
  db: Postgres,
  { home, now, onStep }: Inputs,
): Promise<PublishingStores> => {
  const files = await openBlobFiles(join(home, "blob-cache"), { now });
  const blobs = createPostgresBlobs(db, files, { onStep });
  return {
    store: createPublishingStore(statementsOnPostgres(db)),
    blobs,
    feed: {
      readStates: (names) => readSiteStates(db, names),
      listen: (subscription) => db.listen(SITES_CHANNEL, subscription),
    },
    tidy: async () => {
      await blobs.sweep();
    },
    close: files.close,
  };
};
