import type { AuthStores } from "./auth/auth-stores.ts";
import type { ApprovalStore } from "./auth/approvals/approval-store.ts";
import type { BackupSource } from "./backup/backup.ts";
import type { FleetStore } from "./fleet/store.ts";
import type { NightStore } from "./night/store.ts";
import type { MemoryStores } from "./memory/store/store.ts";
import type { PushStore } from "./push/store.ts";
import type { PublishingStores } from "./publishing/publishing-stores.ts";
import type { QueuePorts } from "./queue/ports.ts";
import type { SecurityLogStore } from "./security-log/store.ts";

/** Where everything of a server lives. */
export type Stores = {
  memory: MemoryStores;
  publishing: PublishingStores;
  auth: AuthStores;
  approvals: ApprovalStore;
  securityLog: SecurityLogStore;
  fleet: FleetStore;
  night: NightStore;
  push: PushStore;
  /** only on a database that pools can share */
  queue: QueuePorts;
  backup: BackupSource;
  /** fails while the database does not answer */
  ping: () => Promise<void>;
  close: () => Promise<void>;
};
