import { AppError } from "../../core/errors.ts";
import type { AccessPorts } from "../auth/memory-access.ts";
import type { FleetReport, FleetWorker } from "./schemas.ts";
import type { FleetStore, StoredReport } from "./store.ts";

export type FleetPorts = { store: FleetStore; access: AccessPorts; now: () => number };

/** A supervisor says something at least every 30 s; one that missed four times is not heard from. */
const SILENT_AFTER_MS = 120_000;
const KEPT_MS = 30 * 86_400_000;
const ACTIVE = new Set(["starting", "running", "waiting", "stopping"]);

const view = ({ host, worker, report, reportedAt }: StoredReport, now: number): FleetWorker => ({
  host,
  worker,
  ...report,
  reportedAt: new Date(reportedAt).toISOString(),
  ageSeconds: Math.max(0, Math.round((now - reportedAt) / 1000)),
  isSilent: ACTIVE.has(report.status) && now - reportedAt > SILENT_AFTER_MS,
});

/** Keeps the newest report of a worker; what nobody spoke of for 30 days is forgotten. */
export const takeReport = async (
  { store, now }: Pick<FleetPorts, "store" | "now">,
  { host, worker, report }: { host: string; worker: string; report: FleetReport },
): Promise<void> => {
  const at = now();
  await store.put({ host, worker, report, reportedAt: at });
  await store.forgetBefore(at - KEPT_MS);
};

/** Every worker of every host. */
export const listFleet = async ({
  store,
  now,
}: Pick<FleetPorts, "store" | "now">): Promise<FleetWorker[]> => {
  const at = now();
  return (await store.list()).map((stored) => view(stored, at));
};

/** @throws AppError `not-found` */
export const forgetWorker = async ({ store }: FleetPorts, host: string, worker: string): Promise<void> => {
  if (!(await store.remove(host, worker)))
    throw new AppError("not-found", `No host ${host} has reported a worker ${worker}`);
};
