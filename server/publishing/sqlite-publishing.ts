import { join } from "node:path";
import { openDiskBlobs } from "../blobs/blobs-disk.ts";
import type { BlobStep } from "../blobs/blobs.ts";
import type { Database } from "../../db/database.ts";
import { statementsOn } from "../../db/statements.ts";
import { createPublishingStore } from "./create-store.ts";
import type { PublishingStores } from "./publishing-stores.ts";

type Inputs = { home: string; onStep?: ((step: BlobStep) => void) | undefined };

/** Publishing in the server's own data folder. What interrupted uploads left is removed before the first one. */
export const openSqlitePublishing = async (
  db: Database,
  { home, onStep }: Inputs,
): Promise<PublishingStores> => {
  const blobs = openDiskBlobs(join(home, "blobs"), onStep ? { onStep } : {});
  await blobs.sweep();
  return {
    store: createPublishingStore(statementsOn(db)),
    blobs,
    tidy: async () => {},
    close: async () => {},
  };
};
