import type { FleetReport } from "./schemas.ts";

/** A report, and when the server got it: hosts' clocks do not count. */
export type StoredReport = { host: string; worker: string; report: FleetReport; reportedAt: number };

/** What each host said last of each of its workers. */
export type FleetStore = {
  put: (stored: StoredReport) => Promise<void>;
  /** by host and worker */
  list: () => Promise<StoredReport[]>;
  /** False when there is none. */
  remove: (host: string, worker: string) => Promise<boolean>;
  /** Forgets what was reported before this time. */
  forgetBefore: (time: number) => Promise<void>;
};
