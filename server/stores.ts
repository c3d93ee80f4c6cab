import type { BackupSource } from "./backup/backup.ts";
import type { FleetStore } from "./fleet/store.ts";
import type { MemoryStores } from "./memory/store/store.ts";
import type { PublishingStores } from "./publishing/publishing-stores.ts";

/** Where everything of a server lives. */
export type Stores = {
  memory: MemoryStores;
  publishing: PublishingStores;
  fleet: FleetStore;
  backup: BackupSource;
  /** fails while the database does not answer */
  ping: () => Promise<void>;
  close: () => Promise<void>;
};
