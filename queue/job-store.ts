import type { Claimer } from "./claim-job.ts";
import type { Claim, GiveBack, Lease, Publication, Renewal, Renewed, RunEnd, RunNote } from "./job.ts";

/**
 * The queue as a pool knows it. What carries a lease fails with an AppError `conflict` when that lease is lost,
 * and everything with `unavailable` while the database cannot answer.
 */
export type JobStore = {
  /** tells this queue from every other one: part of the names and marks of its workers */
  id: string;
  /** the address without the password, for people */
  target: string;
  /** the next task for a host; undefined when there is nothing to do */
  claim: (claimer: Claimer) => Promise<Claim | undefined>;
  /** what a pool of this host that is gone has not published */
  claimOutbox: (claimer: Claimer) => Promise<Publication | undefined>;
  beginWork: (lease: Lease) => Promise<void>;
  renew: (renewals: readonly Renewal[], leaseMs: number) => Promise<Renewed[]>;
  note: (lease: Lease, note: RunNote) => Promise<void>;
  beginPublishing: (lease: Lease, end: RunEnd & RunNote) => Promise<void>;
  notePublishing: (lease: Lease, why: string) => Promise<void>;
  leaveOutbox: (lease: Lease) => Promise<void>;
  finish: (lease: Lease, end: RunEnd & RunNote) => Promise<void>;
  giveBack: (lease: Lease, back: GiveBack & RunNote) => Promise<void>;
  /** @returns the tasks whose lease ran out and that were taken back */
  sweep: () => Promise<number[]>;
  /** @returns how many were forgotten */
  forget: (keepMs: number) => Promise<number>;
  /** those of these tasks that have not ended */
  findOpen: (ids: readonly number[]) => Promise<number[]>;
  /** told when pools should look: something is ready, or is to be stopped */
  listen: (told: { onReady: () => void; onCancel: () => void }) => Promise<void>;
};
